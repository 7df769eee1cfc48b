#pragma once

#include <string>
#include <vector>

#include "lib/host/host_facts.hpp"
#include "lib/net/interface.hpp"

namespace ringrun::worker {

/// The interfaces with an address that cannot be the way to another host, so that MPI, which would try them all, hangs
/// or fails on them: bridges (but those with a card among their ports), veth ports, tunnels to one address. Never one
/// that carries an address of `in_use`, by which this host is connected with another already. Empty where nothing
/// would be left. Pure.
std::vector<std::string> dead_ends(const std::vector<Interface>& interfaces, const std::vector<std::string>& in_use);

/// The value of btl_tcp_if_exclude that keeps MPI off these and off what it excludes by itself.
std::string exclude_parameter(const std::vector<std::string>& names);

/// True where the environment or a parameter file says which interfaces MPI takes. An include of the user's beside an
/// exclude of ours would abort MPI_Init.
bool chooses_mpi_interfaces(const ConfigurationFacts& configuration);

/// Before MPI_Init: keeps MPI off this host's dead ends by this process's environment, where ringrun did not start it
/// and the user chose nothing. Returns what was excluded. Never throws: a host that does not tell its interfaces is
/// left to MPI.
std::vector<std::string> keep_mpi_off_dead_ends() noexcept;

/// Takes out of what was read of this process's environment what keep_mpi_off_dead_ends() put there: it is no word of
/// the user's.
void forget_own_exclusion(ConfigurationFacts& configuration);

}  // namespace ringrun::worker
