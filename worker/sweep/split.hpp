#pragma once

#include <string>

namespace ringrun::worker {

/// How the processes are divided into groups that run the same sweep side by side, by nccl-tests' variables.
struct Split {
  enum class Rule { kNone, kAnd, kOr, kModulo, kDivide };

  Rule rule = Rule::kNone;
  int number = 0;

  /// The group of a process: its number and `number`, joined by the rule. Processes with the same one are a group.
  int group_of(int process) const;
};

/// "MOD 2", "none".
std::string text_of(const Split& split);

/// `mask` is NCCL_TESTS_SPLIT_MASK ("0x7", hexadecimal), `rule` is NCCL_TESTS_SPLIT ("MOD 8"; AND, OR, MOD, DIV or the
/// signs & | % /, and a number that is decimal, 0x…, 0b… or 0o…); null where unset. The mask wins, as there. Throws
/// UserError.
Split parse_split(const char* mask, const char* rule);

}  // namespace ringrun::worker
