#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "worker/placement/binding_origin.hpp"

namespace ringrun::worker {

/// What one process knows of its own placement, and tells the others of its host.
struct ProcessView {
  /// Unset where it is not to be placed: ringrun did so, or it has no GPU.
  std::optional<BindingVerdict> verdict;
  /// The bus ids of the GPUs that its ranks take, in their order.
  std::vector<std::string> gpus;
};

std::string to_text(const ProcessView& view);
ProcessView process_view_from(const std::string& text);

/// That of all processes of a host, since a program between mpirun and the worker may have left one of them, by chance,
/// as the engine did: what one of them was asked to keep all keep; then what one of them cannot tell. `own` is this
/// process's place among them, and it has a verdict.
BindingVerdict verdict_of_host(const std::vector<ProcessView>& host, std::size_t own);

}  // namespace ringrun::worker
