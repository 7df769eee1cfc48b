#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

enum class Severity {
  note,     ///< slow, or worth knowing
  warning,  ///< may break the job, or breaks a part that this program does not need
  error     ///< the job cannot run: the launch stops
};

/// One thing that is wrong. All texts are whole sentences without a line break at their end.
struct Finding {
  /// Of the catalogue, "C1".
  std::string id;
  Severity severity = Severity::warning;
  /// Names as the user wrote them; empty: all of them.
  std::vector<std::string> hosts;
  /// What was seen, in the host's own words and numbers.
  std::string evidence;
  /// Why it breaks the job.
  std::string why;
  /// What mends it: commands that can be pasted, one a line.
  std::string fix;
  /// What ringrun did about it by itself, "" for nothing.
  std::string done;
};

using Findings = std::vector<Finding>;

bool has_errors(const Findings& findings);

/// Errors first, then warnings, notes; within one severity in the catalogue's order. Equal findings of several hosts
/// become one.
Findings arrange(Findings findings);

/// For people: `prefix`, severity, id and hosts, then evidence, why, fix, done in indented lines.
void print(std::ostream& out, const Findings& findings, std::string_view prefix = "");

/// A JSON array of objects {id, severity, hosts, evidence, why, fix, done}.
std::string to_json(const Findings& findings);

}  // namespace ringrun
