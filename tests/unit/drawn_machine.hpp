#pragma once

#include <string>

#include "lib/topology/machine.hpp"

namespace ringrun {

/// A machine as a test draws it, one object a line, with what it contains indented by one more blank:
///
///   allowed cpus 0-5            (of a cgroup; likewise: allowed nodes 0)
///   offline cpus 6,7            (switched off)
///   distances 10 21 21 10       (between the nodes, row by row)
///   package 0
///    node 0 cores 4x2           (four cores of two threads; "4x2+2x1": two kinds; a last word 0B: no memory)
///     hbm 2                     (a memory node over the same cores)
///     bridge
///      bridge
///       gpu 01:00.0
///       card 02:00.0 ib0 mlx5_0=4   (an interface, and an HCA with the state of its port)
///
/// A network interface on USB is a `usb 03:00.0 usb0`. A device that is no PCI device is an `interface eth0`, or a
/// `driver cuda0`: a GPU by its driver's name. CPUs are numbered as Linux does on x86: the first thread of every core,
/// then the second ones. The drawing becomes a file of hwloc's, which is read as any other.
Machine drawn_machine(const std::string& drawing);

/// That file.
std::string drawn_xml(const std::string& drawing);

}  // namespace ringrun
