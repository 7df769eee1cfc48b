#include "launcher/run/rank_ledger.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <set>

namespace ringrun {
namespace {

// So far the travel of records may put two ends on different hosts into the wrong order.
constexpr std::int64_t kSameMomentUs = 200'000;

// A rank that dies of these dies of itself. Others exit with a code when they miss it, or abort.
bool is_a_cause(const EndRecord& record) {
  constexpr std::array kCauses = {SIGKILL, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  return record.error != 0 || std::find(kCauses.begin(), kCauses.end(), record.signal) != kCauses.end();
}

// A rank that notices another's end is ended by Open MPI 5.0.7 with MPI_ERR_UNKNOWN; the words of that are the
// engine's.
constexpr std::int64_t kEchoUs = 1'000'000;
bool may_be_an_echo(const EndRecord& record) {
  constexpr int kUnknownError = 14;
  return record.error == 0 && record.signal == 0 && record.code == kUnknownError && record.lines.empty();
}

// Slurm ends the other ranks by itself, and a wrapper may hear of that later than its program.
bool may_be_stopped(const EndRecord& record) { return exit_code_of(record) == 128 + SIGTERM; }

}  // namespace

void RankLedger::add(const StartRecord& record, std::int64_t arrival) {
  host_of_[record.rank] = record.host;
  compare_clocks(record.host, record.time, arrival);
}

void RankLedger::add(const EndRecord& record, std::int64_t arrival) {
  if (const auto host = host_of_.find(record.rank); host != host_of_.end()) {
    compare_clocks(host->second, record.time, arrival);
  }
  if (record.told || !ended_.insert(record.rank).second || exit_code_of(record) == 0) return;
  failures_.push_back({record, arrival});
}

void RankLedger::compare_clocks(int host, std::int64_t time, std::int64_t arrival) {
  const std::int64_t offset = arrival - time;
  const auto [known, is_new] = offsets_.insert({host, offset});
  if (!is_new) known->second = std::min(known->second, offset);
}

std::int64_t RankLedger::launcher_time(const Failure& failure) const {
  const auto host = host_of_.find(failure.record.rank);
  return host == host_of_.end() ? failure.arrival : failure.record.time + offsets_.at(host->second);
}

std::vector<EndRecord> RankLedger::failures() const {
  std::vector<const Failure*> order;
  for (const Failure& failure : failures_) order.push_back(&failure);
  const auto earlier = [&](const Failure* a, const Failure* b) { return launcher_time(*a) < launcher_time(*b); };
  std::stable_sort(order.begin(), order.end(), earlier);
  const auto put_first = [&](std::int64_t within, auto is_better) {
    const std::int64_t moment_end = launcher_time(*order.front()) + within;
    const auto better = std::find_if(order.begin(), order.end(), [&](const Failure* failure) {
      return launcher_time(*failure) <= moment_end && is_better(failure->record);
    });
    if (better != order.end()) std::rotate(order.begin(), better, better + 1);
  };
  if (!order.empty()) {
    put_first(kEchoUs, [](const EndRecord& record) { return !may_be_an_echo(record); });
    put_first(kSameMomentUs, is_a_cause);
    put_first(kEchoUs, [](const EndRecord& record) { return !may_be_stopped(record); });
  }
  std::vector<EndRecord> records;
  for (const Failure* failure : order) {
    if (records.empty() || !may_be_stopped(failure->record)) records.push_back(failure->record);
  }
  return records;
}

std::vector<int> RankLedger::stopped() const {
  std::vector<int> ranks;
  std::set<int> ended = ended_;
  for (const Failure& failure : failures_) ended.erase(failure.record.rank);
  for (const EndRecord& failure : failures()) ended.insert(failure.rank);
  for (const auto& [rank, host] : host_of_) {
    if (ended.count(rank) == 0) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace ringrun
