#include "lib/placement/class_map.hpp"

#include <algorithm>
#include <bit>

#include "lib/error.hpp"

namespace ringrun {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int kBitsOfLetter = 6;

constexpr std::size_t kLetterMask = (std::size_t{1} << kBitsOfLetter) - 1;

/// How hosts stand in the map: several in one letter, or each in several, the lowest bits first.
struct Scale {
  explicit Scale(std::size_t classes)
      : bits(classes < 2 ? 1 : static_cast<int>(std::bit_width(classes - 1))),
        hosts_of_letter(std::max(kBitsOfLetter / bits, 1)),
        letters_of_host((bits + kBitsOfLetter - 1) / kBitsOfLetter) {}

  std::size_t first_letter(int host) const {
    return static_cast<std::size_t>(host / hosts_of_letter) * static_cast<std::size_t>(letters_of_host);
  }
  int shift(int host) const { return host % hosts_of_letter * bits; }

  int bits;
  int hosts_of_letter;
  int letters_of_host;
};

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
  const Scale scale(plan.classes.size());
  std::vector<std::size_t> letters(scale.first_letter(plan.hosts + scale.hosts_of_letter - 1), 0);
  for (const HostRange& range : plan.exceptions) {
    for (int host = range.first; host <= range.last; ++host) {
      std::size_t left = static_cast<std::size_t>(range.of) << scale.shift(host);
      for (std::size_t at = scale.first_letter(host); left != 0; ++at, left >>= kBitsOfLetter)
        letters[at] |= left & kLetterMask;
    }
  }
  std::string map;
  for (const std::size_t letter : letters) map += kLetters[letter];
  return map;
}

std::vector<HostRange> read_class_map(std::string_view map, int hosts, std::size_t classes) {
  const Scale scale(classes);
  std::vector<HostRange> exceptions;
  for (int host = 0; host < hosts; ++host) {
    std::size_t of = 0;
    bool known = true;
    for (int i = 0; i < scale.letters_of_host; ++i) {
      const std::size_t place = scale.first_letter(host) + static_cast<std::size_t>(i);
      const std::size_t letter = place < map.size() ? kLetters.find(map[place]) : std::string_view::npos;
      known = known && letter != std::string_view::npos;
      of |= (letter & kLetterMask) << i * kBitsOfLetter;
    }
    of = of >> scale.shift(host) & ((std::size_t{1} << scale.bits) - 1);
    if (!known || of >= classes)
      throw UserError("RINGRUN_PLAN is not a plan: it says no class of host " + std::to_string(host));
    add_host(exceptions, host, static_cast<int>(of));
  }
  return exceptions;
}

}  // namespace ringrun
