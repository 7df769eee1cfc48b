#include "launcher/hosts/name_ranges.hpp"

#include <charconv>

#include "lib/error.hpp"

namespace ringrun {
namespace {

constexpr std::size_t kMostNames = 100'000;

[[noreturn]] void reject(std::string_view pattern, const std::string& why) {
  throw UserError("'" + std::string(pattern) + "' is no range of names: " + why, "write for example node[01-16,20]");
}

long number(std::string_view pattern, std::string_view digits) {
  long value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc{} || end != digits.data() + digits.size() || digits.size() > 9 || digits.front() == '-') {
    reject(pattern, "'" + std::string(digits) + "' is not a number");
  }
  return value;
}

void expand_part(std::string_view pattern, std::string_view part, std::vector<std::string>& out) {
  const std::size_t dash = part.find('-');
  if (dash == std::string_view::npos) {
    number(pattern, part);
    out.emplace_back(part);
    return;
  }
  const std::string_view low = part.substr(0, dash);
  const long first = number(pattern, low);
  const long last = number(pattern, part.substr(dash + 1));
  if (last < first) reject(pattern, "'" + std::string(part) + "' runs backwards");
  if (static_cast<std::size_t>(last - first) >= kMostNames) reject(pattern, "more than 100000 names");
  for (long value = first; value <= last; ++value) {
    std::string digits = std::to_string(value);
    if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
    out.push_back(std::move(digits));
  }
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0) {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  return items;
}

std::vector<std::string> expand_name(std::string_view pattern) {
  std::vector<std::string> names(1);
  std::string_view rest = pattern;
  while (true) {
    const std::size_t open = rest.find_first_of("[]");
    const std::string_view plain = rest.substr(0, open);
    for (std::string& name : names) name += plain;
    if (open == std::string_view::npos) return names;
    const std::size_t close = rest.find(']');
    if (rest[open] == ']' || close == std::string_view::npos) reject(pattern, "a bracket has no partner");
    const std::string_view inner = rest.substr(open + 1, close - open - 1);
    std::vector<std::string> parts;
    // An IPv6 address as URLs have it.
    if (inner.find(':') != std::string_view::npos) return {std::string(pattern)};
    for (const std::string& part : split_list(inner)) {
      if (part.empty()) reject(pattern, "a number is missing");
      expand_part(pattern, part, parts);
    }
    std::vector<std::string> longer;
    if (names.size() * parts.size() > kMostNames) reject(pattern, "more than 100000 names");
    for (const std::string& name : names) {
      for (const std::string& part : parts) longer.push_back(name + part);
    }
    names = std::move(longer);
    rest.remove_prefix(close + 1);
  }
}

}  // namespace ringrun
