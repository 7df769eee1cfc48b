#pragma once

#include "launcher/cli/launch_request.hpp"
#include "launcher/environment.hpp"

namespace ringrun {

/// Throws HostError where this process may open fewer files than Open MPI 4.1's mpirun needs for so many ranks on this
/// host: short of them it hangs, or says nothing of why.
void check_open_files(int ranks);

/// Throws HostError where TMPDIR, in which mpirun keeps its session folder, is no folder to write in. A folder that is
/// not there yet is made by mpirun.
void check_session_folder(const LaunchRequest& request, const Environment& environment);

}  // namespace ringrun
