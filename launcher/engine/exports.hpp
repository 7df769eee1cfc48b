#pragma once

#include <string>
#include <vector>

#include "launcher/environment.hpp"

namespace ringrun {

/// Variables that the engine carries to every rank. `asked` are those of -x, `forwarded` those that people expect to
/// travel (NCCL_*, UCX_*, …). A name is in one of them only.
struct Exports {
  Environment asked;
  Environment forwarded;
  std::vector<std::string> warnings;
};

/// `words` are the values of -x in order: "V" and "V*" take the value from `environment`; the last word for a name
/// wins. Throws UserError for a word without a name.
Exports resolve_exports(const std::vector<std::string>& words, const Environment& environment);

}  // namespace ringrun
