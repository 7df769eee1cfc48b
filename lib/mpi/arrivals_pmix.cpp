// PMIx's publish and lookup: Open MPI's mpirun (4.1 and 5) keeps what is published, Slurm's PMIx plugin does not.
#include <pmix.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <thread>

#include "lib/mpi/arrivals.hpp"
#include "lib/mpi/pmix_connection.hpp"

namespace ringrun::mpi {
namespace {

constexpr std::chrono::seconds kLongestCall{3};
constexpr std::chrono::milliseconds kBetweenWords{250};
/// Longer than a rank takes from its look for a claim to its own.
constexpr std::chrono::milliseconds kForOtherClaims{500};

/// PMIx's calls have no deadline of their own, and the daemon may be gone: a thread makes them, which is left behind
/// where it does not come back.
template <typename Result>
std::optional<Result> within(std::chrono::milliseconds limit, std::function<std::optional<Result>()> call) noexcept {
  try {
    auto promise = std::make_shared<std::promise<std::optional<Result>>>();
    auto future = promise->get_future();
    std::thread([promise, call = std::move(call)] { promise->set_value(call()); }).detach();
    if (future.wait_for(limit) != std::future_status::ready) return std::nullopt;
    return future.get();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string key_for(const pmix_proc_t& proc, std::uint32_t rank) {
  return "ringrun.waits." + std::string(proc.nspace) + "." + std::to_string(rank);
}

/// Published by ranks that want to report. Each has its own: of a key that is there twice PMIx of Open MPI 5 says
/// nothing, and that of 4.1 now one value, now another [measured].
std::string claim_key(const pmix_proc_t& proc, std::uint32_t rank) {
  return "ringrun.claims." + std::string(proc.nspace) + "." + std::to_string(rank);
}

/// Published by the one that does.
std::string report_key(const pmix_proc_t& proc) { return "ringrun.reports." + std::string(proc.nspace); }

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

std::optional<bool> withdraw() {
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

bool publish(const std::string& key, const std::string& text) {
  pmix_info_t* info = nullptr;
  PMIX_INFO_CREATE(info, 1);
  PMIX_INFO_LOAD(&info[0], key.c_str(), text.c_str(), PMIX_STRING);
  const bool published = PMIx_Publish(info, 1) == PMIX_SUCCESS;
  PMIX_INFO_FREE(info, 1);
  return published;
}

bool publish_word(const pmix_proc_t& me, std::uint64_t sequence) {
  static std::uint64_t repetition = 0;  // under the connection's lock
  unpublish(me);                        // a key is published once
  return publish(key_for(me, me.rank), std::to_string(sequence) + " " + std::to_string(++repetition));
}

std::optional<bool> announce(std::uint64_t sequence) {
  const PmixConnection connection;
  if (!connection) return std::nullopt;
  return publish_word(connection.self(), sequence);
}

/// One key a call: a lookup of several is answered differently by PMIx's versions where some are absent.
std::optional<std::string> look_up(const std::string& key) {
  pmix_pdata_t* data = nullptr;
  PMIX_PDATA_CREATE(data, 1);
  std::strncpy(data[0].key, key.c_str(), PMIX_MAX_KEYLEN);
  std::optional<std::string> text;
  if (PMIx_Lookup(data, 1, nullptr, 0) == PMIX_SUCCESS && data[0].value.type == PMIX_STRING)
    text = data[0].value.data.string;
  PMIX_PDATA_FREE(data, 1);
  return text;
}

/// The repetition is 0 where a rank says nothing, also for the moment between two words.
Word look_up_word(const pmix_proc_t& me, std::uint32_t rank) {
  Word word;
  if (const auto text = look_up(key_for(me, rank))) {
    char* end = nullptr;
    word.sequence = std::strtoull(text->c_str(), &end, 10);
    word.repetition = std::strtoull(end, nullptr, 10);
  }
  return word;
}

bool is_near(std::uint64_t one, std::uint64_t other) {
  // Measured with three ranks, one stopped: the others stuck one phase apart.
  constexpr std::uint64_t kNear = 8;
  return std::max(one, other) - std::min(one, other) <= kNear;
}

/// Moves those to `arrived` that have said a word since their last one.
void take_words(const pmix_proc_t& me, std::uint64_t sequence, Arrivals& arrivals) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < arrivals.missing.size(); ++i) {
    const int rank = arrivals.missing[i];
    const Word word = look_up_word(me, static_cast<std::uint32_t>(rank));
    if (word.repetition > arrivals.last_words[i] && is_near(word.sequence, sequence)) {
      arrivals.arrived.push_back(rank);
      continue;
    }
    arrivals.missing[kept] = rank;
    arrivals.last_words[kept++] = std::max(word.repetition, arrivals.last_words[i]);
  }
  arrivals.missing.resize(kept);
  arrivals.last_words.resize(kept);
  std::sort(arrivals.arrived.begin(), arrivals.arrived.end());
}

std::optional<Arrivals> listen(std::uint64_t sequence, const std::function<bool()>& still_waits) {
  const PmixConnection connection;
  if (!connection) return std::nullopt;
  const pmix_proc_t& me = connection.self();
  const auto size = job_size(me);
  // Where our own word is not kept the service is not there, and everybody would look missing.
  if (!size || !publish_word(me, sequence) || !look_up(key_for(me, me.rank))) return std::nullopt;
  Arrivals arrivals{{static_cast<int>(me.rank)}, {}, {}};
  for (std::uint32_t rank = 0; rank < *size; ++rank) {
    if (rank == me.rank) continue;
    arrivals.missing.push_back(static_cast<int>(rank));
    arrivals.last_words.push_back(look_up_word(me, rank).repetition);
  }
  const auto end = std::chrono::steady_clock::now() + kListening;
  while (std::chrono::steady_clock::now() < end && still_waits()) {
    std::this_thread::sleep_for(kBetweenWords);
    publish_word(me, sequence);
    take_words(me, sequence, arrivals);
    arrivals.told = look_up(report_key(me)).has_value();
    if (arrivals.told) break;
  }
  return arrivals;
}

std::optional<bool> is_told() {
  const PmixConnection connection;
  if (!connection) return std::nullopt;
  return look_up(report_key(connection.self())).has_value();
}

/// Of ranks that claim at once the first one has it; one that finds a claim when it comes has not.
std::optional<bool> claim(const std::vector<int>& rivals) {
  const PmixConnection connection;
  if (!connection) return std::nullopt;
  const pmix_proc_t& me = connection.self();
  const auto has_claimed = [&](int rank) {
    return look_up(claim_key(me, static_cast<std::uint32_t>(rank))).has_value();
  };
  if (std::any_of(rivals.begin(), rivals.end(), has_claimed)) return false;
  if (!publish(claim_key(me, me.rank), "claims")) return std::nullopt;
  std::this_thread::sleep_for(kForOtherClaims);
  const auto end_of_lower = std::lower_bound(rivals.begin(), rivals.end(), static_cast<int>(me.rank));
  if (std::any_of(rivals.begin(), end_of_lower, has_claimed)) return false;
  publish(report_key(me), "reports");
  return true;
}

std::optional<std::string> look_up_host(std::uint32_t rank) {
  const PmixConnection connection;
  if (!connection) return std::nullopt;
  pmix_proc_t proc = connection.self();
  proc.rank = rank;
  pmix_value_t* value = nullptr;
  if (PMIx_Get(&proc, PMIX_HOSTNAME, nullptr, 0, &value) != PMIX_SUCCESS) return std::nullopt;
  std::string host = value->type == PMIX_STRING ? value->data.string : "";
  PMIX_VALUE_RELEASE(value);
  return host;
}

}  // namespace

void announce_arrival(std::uint64_t sequence) noexcept {
  within<bool>(kLongestCall, [sequence] { return announce(sequence); });
}

void withdraw_arrival() noexcept { within<bool>(kLongestCall, withdraw); }

void close_arrivals() noexcept {
  // A connection that hangs is left behind: its daemon is gone.
  PmixConnection::close_for_good(kLongestCall);
}

std::optional<Arrivals> arrivals_near(std::uint64_t sequence, const std::function<bool()>& still_waits) noexcept {
  return within<Arrivals>(kListening + kLongestCall, [=] { return listen(sequence, still_waits); });
}

void look_again(std::uint64_t sequence, Arrivals& arrivals) noexcept {
  const auto latest = within<Arrivals>(kLongestCall, [=]() -> std::optional<Arrivals> {
    const PmixConnection connection;
    if (!connection) return std::nullopt;
    Arrivals found = arrivals;
    take_words(connection.self(), sequence, found);
    return found;
  });
  if (latest) arrivals = *latest;
}

std::optional<bool> claim_report(const std::vector<int>& rivals) noexcept {
  return within<bool>(kLongestCall, [rivals] { return claim(rivals); });
}

bool is_report_claimed() noexcept { return within<bool>(kLongestCall, is_told).value_or(false); }

std::string host_of_rank(int rank) noexcept {
  return within<std::string>(kLongestCall, [rank] { return look_up_host(static_cast<std::uint32_t>(rank)); })
      .value_or("");
}

}  // namespace ringrun::mpi
