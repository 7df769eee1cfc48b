#pragma once

#include <optional>
#include <string>

namespace ringrun::mpi {

/// What the engine says of how it bound this process, in PMIx's words. Each is empty where it says nothing.
struct EngineBinding {
  /// "CORE:IF-SUPPORTED". Open MPI 4.1 and 5.0 say IF-SUPPORTED where nobody asked for the policy.
  std::string policy;
  /// "BYCORE:NOOVERSUBSCRIBE", "PE-LIST:…"
  std::string mapping;
  /// The processors that it bound this process to, as a list; "" where it bound it to none in particular.
  std::string cpus;
};

/// Asks what this process was told when it started, and so waits for nobody. To be called while MPI is up, since no
/// moment before MPI_Init suits everybody: 4.1.4 does not start where PMIx was closed before, 5.0.7 where it is still
/// open (measured). nullopt where the engine does not say, or MPI has a PMIx of its own that cannot be asked.
std::optional<EngineBinding> engine_binding();

}  // namespace ringrun::mpi
