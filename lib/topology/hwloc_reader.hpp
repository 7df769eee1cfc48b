#pragma once

#include <string>

#include "lib/topology/machine.hpp"

namespace ringrun {

/// This host, within the processors that this process is allowed and bound to. Throws SystemError.
Machine read_machine();

/// A machine saved by `lstopo --of xml`. Throws UserError where the file is no such thing.
Machine read_machine_xml(const std::string& path);

/// A machine of hwloc's short form, for example "numa:2 core:4 pu:2". Throws UserError where it is not one.
Machine read_machine_synthetic(const std::string& description);

}  // namespace ringrun
