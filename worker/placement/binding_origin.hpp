#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/mpi/engine_binding.hpp"

namespace ringrun::worker {

/// What is known of how this process came to the processors that it has.
struct BindingEvidence {
  /// Unset where the launcher does not speak PMIx, or says nothing of it there.
  std::optional<mpi::EngineBinding> engine;
  bool launched = true;  ///< by a launcher, which may have bound it
  std::function<const char*(const char*)> variable;
  std::vector<int> own;
  /// Those of the launcher's process on this host; unset where it cannot be seen.
  std::optional<std::vector<int>> launcher;
  int own_cores = 0;  ///< that `own` are hardware threads of
  /// Somebody gave this process a memory policy, as numactl does.
  bool memory_is_chosen = false;
};

enum class BindingOrigin {
  kDefault,  ///< nobody asked for it
  kAsked,
  kUnknown,
};

struct BindingVerdict {
  BindingOrigin origin = BindingOrigin::kUnknown;
  /// "mpirun's default (core)" ("" where nothing was bound), "--bind-to none"; of an unknown one why it is.
  std::string by;
};

/// Who chose this process's binding. Pure. As Open MPI 4.1.4 and 5.0.7 do, measured:
/// - both say by PMIx what they bind to, with ":IF-SUPPORTED" where neither --bind-to nor a parameter (file) asked;
///   5.0.7 says "NONE" of an oversubscribed host, asked for or not;
/// - rankfiles and lists of CPUs are said as the mapping (BYUSER, PE-LIST) or the policy (CPUSET);
/// - "pe=2" is not said: then more than a core is bound to, by the policy CORE;
/// - 4.1 hands --bind-to and pe= on in the ranks' environment too.
BindingVerdict judge_binding(const BindingEvidence& evidence);

}  // namespace ringrun::worker
