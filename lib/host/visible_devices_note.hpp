#pragma once

#include <string>
#include <vector>

#include "lib/gpu/gpu.hpp"

namespace ringrun {

/// What a person should know of this CUDA_VISIBLE_DEVICES on a host that has GPUs: that it hides all of them, or that
/// CUDA shows fewer than it has entries; "" for nothing.
std::string visible_devices_note(const std::string& visible_devices, const std::vector<Gpu>& visible);

/// Such a note speaks of entries of which nobody can have meant that CUDA shows nothing for them.
bool is_mistaken(const std::string& note);

}  // namespace ringrun
