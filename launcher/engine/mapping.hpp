#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringrun {

/// Where ranks go, how they are numbered and what they are bound to, as the user says it; one vocabulary for both
/// generations of Open MPI. Everything unsaid is the engine's or ringrun's to choose.
struct Mapping {
  /// "slot", "node", "hwthread", "core", "l1cache", "l2cache", "l3cache", "package", "numa", "board", "seq",
  /// "rankfile", "ppr:N:OBJECT", "dist:DEVICE" or "pe-list=LIST"; "" unsaid.
  std::string by;
  /// Of "rankfile" and "seq".
  std::optional<std::string> file;
  std::optional<std::string> rank_by;
  /// With its qualifiers: "core:overload-allowed".
  std::optional<std::string> bind_to;
  std::optional<int> cpus_per_rank;
  std::optional<std::string> cpu_set;
  bool span = false;
  bool oversubscribe = false;
  bool never_oversubscribe = false;
  bool no_local = false;
  bool hardware_threads = false;
  bool operator==(const Mapping&) const = default;

  /// True where it says on which hosts ranks run, or in which order.
  bool says_where() const;
};

/// Takes apart the value of --map-by, with the modifiers of both generations. Throws UserError for an unknown word,
/// and where it contradicts what `mapping` says already.
void add_map_by(Mapping& mapping, const std::string& option, const std::string& text);

/// The value of --rank-by and of --bind-to: "socket" is "package". Throw UserError.
std::string parse_rank_by(const std::string& text);
std::string parse_bind_to(const std::string& text);

/// N of "ppr:N:node"; 0 where the mapping is another.
int ranks_per_node(const Mapping& mapping);

}  // namespace ringrun
