#pragma once

#include <string>
#include <vector>

#include "launcher/engine/mapping.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/hosts/slots.hpp"

namespace ringrun {

/// Whose rules put ranks on hosts.
enum class LayoutRule {
  /// Hosts in the order of the list.
  list,
  /// Open MPI 4.1's and 5's: the launching host comes first wherever it stands in the list.
  openmpi4,
  openmpi5
};

struct LayoutProgram {
  /// 0: as many as the mapping makes of the slots.
  int ranks = 0;
  std::vector<HostSlots> hosts;
  /// For a sequential mapping: places in the list of hosts, one for each rank.
  std::vector<int> sequence;
};

/// One row of a rankfile.
struct RankRow {
  int rank = 0;
  std::string host;
};

struct LayoutRequest {
  LayoutRule rule = LayoutRule::list;
  Mapping mapping;
  /// The mapping is said in a way that only the engine understands.
  bool unknown = false;
  /// Of the whole job, for messages and limits.
  HostList hosts;
  /// The launching host's place among them, -1 where it is none of them.
  int own_host = -1;
  /// Its own name, by which a rankfile may call it where the list says localhost.
  std::string own_name;
  std::vector<LayoutProgram> programs;
  /// Where the mapping gives each host a number of ranks by what it has ("ppr:1:package"): that of each host, 0 where
  /// it is not known. Empty: it is not known of any.
  std::vector<int> on_each = {};
  /// Where the mapping is by rankfile.
  std::vector<RankRow> rank_rows;
};

struct RankLayout {
  /// The host of each rank, program after program.
  std::vector<int> host_of_rank;
  /// Ranks of each program.
  std::vector<int> program_ranks;
  /// False where only the engine knows; then the above is a guess.
  bool certain = true;
};

/// Which host each rank gets, as the engine (4.1.4, 5.0.7) will have it. Pure. Throws UserError where there are more
/// ranks than slots and that is not allowed, and where the mapping has no place for a rank.
RankLayout lay_out_ranks(const LayoutRequest& request);

/// "rank N=HOST slot=…" lines; rows that name a host by its place (+n1) make the result empty. Throws UserError for a
/// file that cannot be read.
std::vector<RankRow> read_rankfile(const std::string& path);

std::vector<RankRow> parse_rankfile(std::string_view text);

}  // namespace ringrun
