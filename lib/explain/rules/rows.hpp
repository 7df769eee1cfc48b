#pragma once

#include <vector>

#include "lib/explain/catalogue.hpp"

namespace ringrun {

// The rows of each group, in the order in which they are shown.
std::vector<CatalogueRow> wsl2_rows();
std::vector<CatalogueRow> container_rows();
std::vector<CatalogueRow> interface_rows();
std::vector<CatalogueRow> network_rows();
std::vector<CatalogueRow> version_rows();
std::vector<CatalogueRow> gpu_rows();
std::vector<CatalogueRow> launcher_rows();
std::vector<CatalogueRow> slow_rows();

/// I7, I8: what Open MPI's own choice of interfaces makes of the user's parameters.
void find_mca_interface_faults(const Situation& situation, Findings& out);
void find_doubled_addresses(const Situation& situation, Findings& out);
/// F6: MASTER_ADDR and MASTER_PORT as the user said them.
void find_wrong_rendezvous(const Situation& situation, Findings& out);
/// L3, L7, L9, L11: the job's programs on each host.
void find_missing_libraries(const Situation& situation, Findings& out);
void find_differing_programs(const Situation& situation, Findings& out);
void find_unmet_needs(const Situation& situation, Findings& out);
void find_failed_copies(const Situation& situation, Findings& out);
/// L10.
void find_contradicting_parameters(const Situation& situation, Findings& out);
/// L1: why a remote shell gave no agent.
void find_remote_shell_faults(const Situation& situation, Findings& out);
void find_closed_containers(const Situation& situation, Findings& out);

}  // namespace ringrun
