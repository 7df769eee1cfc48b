#include "lib/mpi/pmix_connection.hpp"

#include <atomic>
#include <cstdlib>

namespace ringrun::mpi {
namespace {

/// Held while a connection is open.
std::timed_mutex connection_mutex;
/// Also written without the lock, where who holds it does not come back.
std::atomic<bool> closed_for_good = false;

}  // namespace

PmixConnection::PmixConnection() : lock_(connection_mutex) {
  open_ = !closed_for_good && std::getenv("PMIX_RANK") != nullptr && PMIx_Init(&self_, nullptr, 0) == PMIX_SUCCESS;
}

PmixConnection::~PmixConnection() {
  if (open_) PMIx_Finalize(nullptr, 0);
}

void PmixConnection::close_for_good(std::chrono::milliseconds longest) {
  const std::unique_lock lock(connection_mutex, longest);
  closed_for_good = true;
}

}  // namespace ringrun::mpi
