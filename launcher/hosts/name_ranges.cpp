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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A name as what stands before a number of it, the number, and what stands behind.
struct NumberedName {
  std::string_view before;
  std::string_view digits;
  std::string_view behind;
};

/// Parts `name` at the number in which it differs from `other`; digits are "" where it differs otherwise, or where no
/// range could hold the number.
NumberedName part_at_difference(std::string_view name, std::string_view other) {
  std::size_t first = 0;
  while (first < name.size() && first < other.size() && name[first] == other[first]) ++first;
  while (first > 0 && is_digit(name[first - 1])) --first;
  std::size_t last = first;
  while (last < name.size() && is_digit(name[last])) ++last;
  constexpr std::size_t kMostDigits = 8;
  const bool fits = last > first && last - first <= kMostDigits;
  return {name.substr(0, first), name.substr(first, fits ? last - first : 0), name.substr(last)};
}

/// The number behind this one, as a range that begins with `low` writes it.
std::string next_digits(std::string_view digits, std::string_view low) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  std::string next = std::to_string(value + 1);
  if (next.size() < low.size()) next.insert(0, low.size() - next.size(), '0');
  return next;
}

}  // namespace

std::vector<std::string> fold_names(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < names.size();) {
    if (i + 1 == names.size()) {
      words.push_back(names[i++]);
      continue;
    }
    const NumberedName low = part_at_difference(names[i], names[i + 1]);
    std::string high(low.digits);
    const std::size_t first = i++;
    while (!high.empty() && i < names.size() && i - first < kMostNames) {
      std::string next = next_digits(high, low.digits);
      if (names[i] != std::string(low.before) + next + std::string(low.behind)) break;
      high = std::move(next);
      ++i;
    }
    words.push_back(i - first == 1 ? names[first]
                                   : std::string(low.before) + "[" + std::string(low.digits) + "-" + high + "]" +
                                         std::string(low.behind));
  }
  return words;
}

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
