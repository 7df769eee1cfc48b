#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/engine/engine_kind.hpp"
#include "launcher/engine/mapping.hpp"

namespace ringrun {

/// An option that an engine gets as it is.
struct PassedOption {
  /// As the user knows it.
  std::string name;
  /// The words before the values in each generation; unset where that cannot do it.
  std::optional<std::vector<std::string>> four;
  std::optional<std::vector<std::string>> five;
  std::vector<std::string> values;
  /// What to do instead.
  std::string remedy;
};

/// What the engine itself is told, as the user says it; each engine has its own words for it.
struct EngineOptions {
  Mapping mapping;
  /// What the engine prints on standard error before the job: "bind", "topo", "map-devel", "allocation-devel".
  std::vector<std::string> display;
  /// Words of Open MPI 5's --runtime-options that only the engine can do.
  std::vector<std::string> runtime;
  /// The rank that standard input goes to, "none" for none; unset: rank 0.
  std::optional<std::string> standard_input;
  std::vector<PassedOption> passed;

  bool reports_bindings() const { return std::find(display.begin(), display.end(), "bind") != display.end(); }
};

/// How `kind` is told: words of its command line. Throws UserError, naming option and engine, for what it cannot do.
std::vector<std::string> option_words(EngineKind kind, const EngineOptions& options);

/// The part of option_words() that is about mapping, ranking and binding.
std::vector<std::string> mapping_words(EngineKind kind, const Mapping& mapping);

/// "Open MPI 4", "Open MPI 5", "Slurm"
std::string engine_name(EngineKind kind);

}  // namespace ringrun
