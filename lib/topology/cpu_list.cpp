#include "lib/topology/cpu_list.hpp"

#include <algorithm>
#include <charconv>

#include "lib/error.hpp"

namespace ringrun {
namespace {

constexpr int kMost = 65535;

[[noreturn]] void reject(std::string_view text, const std::string& why = "is not a list of numbers") {
  throw UserError("'" + std::string(text) + "' " + why, "write for example 0,2 or 0-3,8");
}

}  // namespace

std::string format_cpu_list(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += (last == i + 1 ? ',' : '-') + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&] {
    int value = 0;
    const auto [next, code] = std::from_chars(at, end, value);
    if (code == std::errc::result_out_of_range || value > kMost)
      reject(text, "has a number beyond " + std::to_string(kMost));
    if (code != std::errc{} || value < 0) reject(text);
    at = next;
    return value;
  };
  while (at != end) {
    const int first = number();
    int last = first;
    if (at != end && *at == '-') {
      ++at;
      last = number();
    }
    if (last < first) reject(text);
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (at == end) break;
    if (*at != ',' || ++at == end) reject(text);
  }
  return cpus;
}

}  // namespace ringrun
