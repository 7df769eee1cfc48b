#pragma once

#include <filesystem>

#include "lib/host/host_facts.hpp"
#include "lib/host/host_file.hpp"

namespace ringrun {

/// glibc, Open MPI and NCCL; the driver's part stays empty, NVML gives it. Open MPI is looked for on the PATH of
/// `environment`. Takes up to 1 s where mpirun must be asked for its version and does not answer. Never throws.
SoftwareFacts read_software_facts(const HostQuestion& question, const Environment& environment,
                                  const std::filesystem::path& root = "/");

/// The folder that Open MPI is installed in, with bin and lib below it, by its daemon's path; "" of "".
std::filesystem::path open_mpi_prefix(const std::string& daemon, const std::filesystem::path& root);

/// The first of Open MPI's daemons, orted (version 4) or prted (5), on the PATH of `environment`; "" for none.
std::string find_open_mpi_daemon(const Environment& environment, const std::filesystem::path& root);

}  // namespace ringrun
