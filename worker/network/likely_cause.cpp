#include "worker/network/likely_cause.hpp"

#include <exception>
#include <future>
#include <thread>

#include "lib/mpi/launch_environment.hpp"
#include "worker/network/network_decision.hpp"

namespace ringrun::worker {
namespace {

Findings own_faults() noexcept {
  try {
    return own_network_faults(read_host_facts({}));
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

std::string likely_cause(std::chrono::milliseconds patience) noexcept {
  try {
    const auto launch = mpi::launch_environment();
    if (launch.by_ringrun || !launch.may_span_hosts()) return {};
    // A thread of its own, left alone where it lasts: a driver that is stuck must not keep this process.
    std::packaged_task<Findings()> reading(own_faults);
    std::future<Findings> faults = reading.get_future();
    std::thread(std::move(reading)).detach();
    std::string text;
    if (faults.wait_for(patience) == std::future_status::ready) text = text_of(faults.get());
    return text +
           "  MPI on this host has not heard from the others; this checks every host and the network between "
           "them: ringrun --doctor -hostfile FILE\n";
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace ringrun::worker
