#include "lib/placement/class_map.hpp"

#include <bit>

#include "lib/error.hpp"

namespace ringrun {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int kBitsOfLetter = 6;

int bits_of_host(std::size_t classes) { return classes < 2 ? 1 : static_cast<int>(std::bit_width(classes - 1)); }

}  // namespace

void add_host(std::vector<HostRange>& exceptions, int host, int of) {
  if (of == 0) return;
  if (!exceptions.empty() && exceptions.back().of == of && exceptions.back().last == host - 1) {
    exceptions.back().last = host;
  } else {
    exceptions.push_back({host, host, of});
  }
}

std::string write_class_map(const JobPlan& plan) {
  const int bits = bits_of_host(plan.classes.size());
  if (bits > kBitsOfLetter) return "";
  const int hosts_of_letter = kBitsOfLetter / bits;
  std::vector<int> letters(static_cast<std::size_t>((plan.hosts + hosts_of_letter - 1) / hosts_of_letter), 0);
  for (const HostRange& range : plan.exceptions) {
    for (int host = range.first; host <= range.last; ++host)
      letters[static_cast<std::size_t>(host / hosts_of_letter)] |= range.of << host % hosts_of_letter * bits;
  }
  std::string map;
  for (const int letter : letters) map += kLetters[static_cast<std::size_t>(letter)];
  return map;
}

std::vector<HostRange> read_class_map(std::string_view map, int hosts, std::size_t classes) {
  const int bits = bits_of_host(classes);
  const int hosts_of_letter = bits > kBitsOfLetter ? 1 : kBitsOfLetter / bits;
  std::vector<HostRange> exceptions;
  for (int host = 0; host < hosts; ++host) {
    const auto place = static_cast<std::size_t>(host / hosts_of_letter);
    const std::size_t letter = place < map.size() ? kLetters.find(map[place]) : std::string_view::npos;
    const std::size_t of = letter >> host % hosts_of_letter * bits & ((std::size_t{1} << bits) - 1);
    if (letter == std::string_view::npos || of >= classes)
      throw UserError("RINGRUN_PLAN is not a plan: it says no class of host " + std::to_string(host));
    add_host(exceptions, host, static_cast<int>(of));
  }
  return exceptions;
}

}  // namespace ringrun
