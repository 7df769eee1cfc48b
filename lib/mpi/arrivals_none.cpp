// Built where PMIx's header is absent: nobody can be asked.
#include "lib/mpi/arrivals.hpp"

namespace ringrun::mpi {

void announce_arrival(std::uint64_t) noexcept {}
void withdraw_arrival() noexcept {}
void close_arrivals() noexcept {}
std::optional<Arrivals> arrivals_near(std::uint64_t, const std::function<bool()>&) noexcept { return std::nullopt; }
void look_again(std::uint64_t, Arrivals&) noexcept {}
std::optional<bool> claim_report(const std::vector<int>&) noexcept { return std::nullopt; }
bool is_report_claimed() noexcept { return false; }
std::string host_of_rank(int) noexcept { return {}; }

}  // namespace ringrun::mpi
