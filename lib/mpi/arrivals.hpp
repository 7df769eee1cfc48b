#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ringrun::mpi {

// Word between the ranks through the launcher's daemons: it gets through while MPI itself is stuck, in MPI_Init too,
// and from any thread. Each call lasts at most a few seconds; where the launcher offers no such service, nothing
// happens.

/// The ranks of the job that wait for the others, and those that do not.
struct Arrivals {
  std::vector<int> arrived;  ///< in rank order, this rank among them
  std::vector<int> missing;
  std::vector<std::uint64_t> last_words;  ///< of each of `missing`, what tells a later one from it
  bool told = false;                      ///< a rank has claimed the report while this one listened
};

/// How long a rank listens for the others, unless what it waits for comes. A waiting rank speaks twice a second once it
/// has waited for two seconds: that is in here, and as much again for a machine that is busy.
inline constexpr std::chrono::seconds kListening{4};

/// Leaves word that this rank waits, in phase number `sequence`, in place of what it said before. To be repeated at
/// least once a second while that is so: a rank that is stopped falls silent, and is told by that.
void announce_arrival(std::uint64_t sequence) noexcept;

/// Takes it back: this rank goes on.
void withdraw_arrival() noexcept;

/// Waits for the calls above to end and makes later ones do nothing. To be called before MPI_Finalize.
void close_arrivals() noexcept;

/// Who waits in phase `sequence`, or in one so near that a collective can let ranks be that far apart. Listens for
/// kListening and says meanwhile that this rank waits; ends early where `still_waits` (asked from another thread) is
/// false, and where a report is claimed. Nothing where the launcher cannot be asked.
std::optional<Arrivals> arrivals_near(std::uint64_t sequence, const std::function<bool()>& still_waits) noexcept;

/// Moves those to `arrived` that have spoken since.
void look_again(std::uint64_t sequence, Arrivals& arrivals) noexcept;

/// Asks for the right to report: true on one of `rivals`, which are in rank order and this rank is one of. Takes half a
/// second. Nothing where the launcher cannot be asked.
std::optional<bool> claim_report(const std::vector<int>& rivals) noexcept;
bool is_report_claimed() noexcept;

/// The host of a rank as the launcher knows it; empty where it does not say.
std::string host_of_rank(int rank) noexcept;

}  // namespace ringrun::mpi
