#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/topology/machine.hpp"

namespace ringrun {

/// This host, within these processors; unset: those that this process is allowed and bound to. Without `cards` it has
/// neither GPUs nor network cards: to read these takes most of the time (2 ms without, 5 ms more for each PCI device of
/// a virtual machine). Throws SystemError.
Machine read_machine(const std::optional<std::vector<int>>& cpus = std::nullopt, bool cards = true);

/// A machine saved by `lstopo --of xml`. Throws UserError where the file is no such thing.
Machine read_machine_xml(const std::string& path);

/// A machine of hwloc's short form, for example "numa:2 core:4 pu:2". Throws UserError where it is not one.
Machine read_machine_synthetic(const std::string& description);

}  // namespace ringrun
