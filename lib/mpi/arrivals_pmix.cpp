// PMIx's publish and lookup: Open MPI's mpirun (4.1 and 5) keeps what is published, Slurm's PMIx plugin does not.
#include <pmix.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <thread>

#include "lib/mpi/arrivals.hpp"
#include "lib/mpi/pmix_connection.hpp"

namespace ringrun::mpi {
namespace {

constexpr std::chrono::seconds kLongestCall{3};
// Longer than the second in which every waiting rank speaks once.
constexpr std::chrono::milliseconds kListening{1500};
constexpr std::chrono::milliseconds kBetweenWords{250};

/// PMIx's calls have no deadline of their own, and the daemon may be gone: a thread makes them, which is left behind
/// where it does not come back.
template <typename Result>
std::optional<Result> within(std::chrono::milliseconds limit, std::optional<Result> (*call)(std::uint64_t),
                             std::uint64_t argument) noexcept {
  try {
    auto promise = std::make_shared<std::promise<std::optional<Result>>>();
    auto future = promise->get_future();
    std::thread([promise, call, argument] { promise->set_value(call(argument)); }).detach();
    if (future.wait_for(limit) != std::future_status::ready) return std::nullopt;
    return future.get();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string key_for(const pmix_proc_t& proc, std::uint32_t rank) {
  return "ringrun.waits." + std::string(proc.nspace) + "." + std::to_string(rank);
}

std::optional<std::uint32_t> job_size(const pmix_proc_t& me) {
  pmix_proc_t wildcard = me;
  wildcard.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* value = nullptr;
  if (PMIx_Get(&wildcard, PMIX_JOB_SIZE, nullptr, 0, &value) != PMIX_SUCCESS) return std::nullopt;
  const std::uint32_t size = value->data.uint32;
  PMIX_VALUE_RELEASE(value);
  return size;
}

void unpublish(const pmix_proc_t& me) {
  std::string key = key_for(me, me.rank);
  char* keys[] = {key.data(), nullptr};
  PMIx_Unpublish(keys, nullptr, 0);
}

std::optional<bool> withdraw(std::uint64_t) {
  const PmixConnection connection;
  if (!connection) return std::nullopt;
  unpublish(connection.self());
  return true;
}

/// What a rank says: where it waits, and a number that grows each time it says so.
struct Word {
  std::uint64_t sequence = 0;
  std::uint64_t repetition = 0;
};

bool publish(const pmix_proc_t& me, std::uint64_t sequence) {
  static std::uint64_t repetition = 0;  // under the connection's lock
  unpublish(me);                        // a key is published once
  const std::string word = std::to_string(sequence) + " " + std::to_string(++repetition);
  pmix_info_t* info = nullptr;
  PMIX_INFO_CREATE(info, 1);
  PMIX_INFO_LOAD(&info[0], key_for(me, me.rank).c_str(), word.c_str(), PMIX_STRING);
  const bool published = PMIx_Publish(info, 1) == PMIX_SUCCESS;
  PMIX_INFO_FREE(info, 1);
  return published;
}

std::optional<bool> announce(std::uint64_t sequence) {
  const PmixConnection connection;
  if (!connection) return std::nullopt;
  return publish(connection.self(), sequence);
}

/// One key a call: a lookup of several is answered differently by PMIx's versions where some are absent.
std::optional<Word> look_up(const pmix_proc_t& me, std::uint32_t rank) {
  pmix_pdata_t* data = nullptr;
  PMIX_PDATA_CREATE(data, 1);
  std::strncpy(data[0].key, key_for(me, rank).c_str(), PMIX_MAX_KEYLEN);
  std::optional<Word> word;
  if (PMIx_Lookup(data, 1, nullptr, 0) == PMIX_SUCCESS && data[0].value.type == PMIX_STRING) {
    char* end = nullptr;
    word.emplace();
    word->sequence = std::strtoull(data[0].value.data.string, &end, 10);
    word->repetition = std::strtoull(end, nullptr, 10);
  }
  PMIX_PDATA_FREE(data, 1);
  return word;
}

/// Its last word before and after the time of listening.
bool waits_near(std::uint64_t sequence, const std::optional<Word>& before, const std::optional<Word>& after) {
  // Measured with three ranks, one stopped: the others stuck one phase apart.
  constexpr std::uint64_t kNear = 8;
  if (!after || (before && before->repetition == after->repetition)) return false;
  return std::max(after->sequence, sequence) - std::min(after->sequence, sequence) <= kNear;
}

std::optional<Arrivals> listen(std::uint64_t sequence) {
  const PmixConnection connection;
  if (!connection) return std::nullopt;
  const pmix_proc_t& me = connection.self();
  const auto size = job_size(me);
  // Where our own word is not kept the service is not there, and everybody would look missing.
  if (!size || !publish(me, sequence) || !look_up(me, me.rank)) return std::nullopt;
  std::vector<std::optional<Word>> before;
  for (std::uint32_t rank = 0; rank < *size; ++rank) before.push_back(look_up(me, rank));
  const auto end = std::chrono::steady_clock::now() + kListening;
  while (std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kBetweenWords);
    publish(me, sequence);
  }
  Arrivals arrivals;
  for (std::uint32_t rank = 0; rank < *size; ++rank) {
    const bool waits = rank == me.rank || waits_near(sequence, before[rank], look_up(me, rank));
    (waits ? arrivals.arrived : arrivals.missing).push_back(static_cast<int>(rank));
  }
  return arrivals;
}

std::optional<std::string> look_up_host(std::uint64_t rank) {
  const PmixConnection connection;
  if (!connection) return std::nullopt;
  pmix_proc_t proc = connection.self();
  proc.rank = static_cast<std::uint32_t>(rank);
  pmix_value_t* value = nullptr;
  if (PMIx_Get(&proc, PMIX_HOSTNAME, nullptr, 0, &value) != PMIX_SUCCESS) return std::nullopt;
  std::string host = value->type == PMIX_STRING ? value->data.string : "";
  PMIX_VALUE_RELEASE(value);
  return host;
}

}  // namespace

void announce_arrival(std::uint64_t sequence) noexcept { within<bool>(kLongestCall, announce, sequence); }

void withdraw_arrival() noexcept { within<bool>(kLongestCall, withdraw, 0); }

void close_arrivals() noexcept {
  // A connection that hangs is left behind: its daemon is gone.
  PmixConnection::close_for_good(kLongestCall);
}

std::optional<Arrivals> arrivals_near(std::uint64_t sequence) noexcept {
  return within<Arrivals>(kListening + kLongestCall, listen, sequence);
}

std::string host_of_rank(int rank) noexcept {
  return within<std::string>(kLongestCall, look_up_host, static_cast<std::uint64_t>(rank)).value_or("");
}

}  // namespace ringrun::mpi
