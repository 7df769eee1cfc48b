#pragma once

#include <optional>
#include <string>

#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// The CUDA_VISIBLE_DEVICES that the ranks of this host will find: by its gpus=, else as asked for by -x, else by its
/// env.; unset: the host's own.
std::optional<std::string> visible_devices_of(const Host& host, const std::optional<std::string>& asked);

}  // namespace ringrun
