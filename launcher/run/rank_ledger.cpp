#include "launcher/run/rank_ledger.hpp"

#include <algorithm>

namespace ringrun {

void RankLedger::add(const EndRecord& record) {
  if (record.told) return;
  if (!ended_.insert(record.rank).second || exit_code_of(record) == 0) return;
  // Before the later ends of its own host, without overtaking another host's.
  auto place = failures_.end();
  for (auto earlier = failures_.begin(); earlier != failures_.end() && place == failures_.end(); ++earlier) {
    if (earlier->host == record.host && earlier->time > record.time) place = earlier;
  }
  failures_.insert(place, record);
}

const EndRecord* RankLedger::first_failure() const { return failures_.empty() ? nullptr : &failures_.front(); }

std::vector<int> RankLedger::stopped() const {
  std::vector<int> ranks;
  std::set_difference(started_.begin(), started_.end(), ended_.begin(), ended_.end(), std::back_inserter(ranks));
  return ranks;
}

}  // namespace ringrun
