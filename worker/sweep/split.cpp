#include "worker/sweep/split.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "lib/error.hpp"

namespace ringrun::worker {
namespace {

std::optional<int> number_from(std::string_view text, int base) {
  constexpr std::array<std::pair<std::string_view, int>, 3> kBases{{{"0x", 16}, {"0b", 2}, {"0o", 8}}};
  for (const auto& [prefix, of_prefix] : kBases) {
    if (text.substr(0, 2) != prefix) continue;
    text.remove_prefix(2);
    base = of_prefix;
    break;
  }
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (code != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// Takes the rule's name or sign away from the front.
Split::Rule take_rule(std::string& text) {
  constexpr std::array<std::pair<std::string_view, Split::Rule>, 8> kRules{{{"and", Split::Rule::kAnd},
                                                                            {"&", Split::Rule::kAnd},
                                                                            {"or", Split::Rule::kOr},
                                                                            {"|", Split::Rule::kOr},
                                                                            {"mod", Split::Rule::kModulo},
                                                                            {"%", Split::Rule::kModulo},
                                                                            {"div", Split::Rule::kDivide},
                                                                            {"/", Split::Rule::kDivide}}};
  for (const auto& [name, rule] : kRules) {
    if (text.compare(0, name.size(), name) != 0) continue;
    text.erase(0, name.size());
    return rule;
  }
  return Split::Rule::kNone;
}

}  // namespace

std::string text_of(const Split& split) {
  constexpr std::array<const char*, 5> kNames{"none", "AND", "OR", "MOD", "DIV"};
  const std::string name = kNames[static_cast<std::size_t>(split.rule)];
  return split.rule == Split::Rule::kNone ? name : name + " " + std::to_string(split.number);
}

int Split::group_of(int process) const {
  switch (rule) {
    case Rule::kAnd:
      return process & number;
    case Rule::kOr:
      return process | number;
    case Rule::kModulo:
      return process % number;
    case Rule::kDivide:
      return process / number;
    default:
      return 0;
  }
}

Split parse_split(const char* mask, const char* rule) {
  if (mask != nullptr && *mask != '\0') {
    const auto number = number_from(mask, 16);
    if (!number) {
      throw UserError("NCCL_TESTS_SPLIT_MASK: '" + std::string(mask) + "' is not a hexadecimal number",
                      "give the bits of a process's number that name its group: 0x7");
    }
    return {*number == 0 ? Split::Rule::kNone : Split::Rule::kAnd, *number};
  }
  if (rule == nullptr || *rule == '\0') return {};
  std::string text;
  for (const char* letter = rule; *letter != '\0'; ++letter) {
    const auto byte = static_cast<unsigned char>(*letter);
    if (std::isspace(byte) == 0) text += static_cast<char>(std::tolower(byte));
  }
  Split split;
  split.rule = take_rule(text);
  const auto number = number_from(text, 10);
  const bool divides = split.rule == Split::Rule::kModulo || split.rule == Split::Rule::kDivide;
  if (split.rule == Split::Rule::kNone || !number || (divides && *number == 0)) {
    throw UserError("NCCL_TESTS_SPLIT: '" + std::string(rule) + "' is not a rule and a number",
                    "give AND, OR, MOD or DIV and a number: 'MOD 8'");
  }
  split.number = *number;
  return split;
}

}  // namespace ringrun::worker
