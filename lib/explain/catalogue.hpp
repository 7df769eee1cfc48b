#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "lib/explain/finding.hpp"
#include "lib/explain/situation.hpp"

namespace ringrun {

/// How well a row of the catalogue is covered.
enum class Coverage {
  detected,   ///< a rule finds it, tested with fixture facts (and for most with the real thing)
  untested,   ///< a rule finds it, but it has never met the real thing (Windows, a broken card, …)
  output,     ///< recognised in what a failed job printed
  documented  ///< cannot be detected from Linux: only described
};

/// One known failure: what people see, why, and what mends it. `rule` is empty where there is none.
struct CatalogueRow {
  std::string id;
  std::string group;  ///< "WSL2", "Container", …
  std::string seen;   ///< what people see
  std::string cause;
  std::string detect;  ///< how ringrun tells
  std::string fix;
  std::string source;  ///< issues where it was reported, "N#331, N#462"
  Coverage coverage = Coverage::documented;
  std::function<void(const Situation&, Findings&)> rule;
};

/// All rows, in the order of their groups.
const std::vector<CatalogueRow>& catalogue();

/// Runs every rule. The findings are arranged.
Findings find_faults(const Situation& situation);

/// docs/troubleshooting.md, whole.
void print_troubleshooting(std::ostream& out);

}  // namespace ringrun
