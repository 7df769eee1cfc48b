#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/run/job_process.hpp"
#include "launcher/run/rank_record.hpp"

namespace ringrun {

/// Notices a host whose part of a Slurm step is gone: where slurmstepd was killed, its ranks end with it, and srun
/// waits for them for ever (22.05). srun has a connection from each host for as long as that has tasks.
class StepWatch {
 public:
  explicit StepWatch(const std::vector<StartedHost>& hosts)
      : hosts_(hosts), seen_(hosts.size()), missed_(hosts.size()) {}

  void add(const StartRecord& record) { running_.emplace(record.rank, record.host); }
  void add(const EndRecord& record) { running_.erase(record.rank); }

  /// Nothing is known of this host's connection yet.
  bool is_new(int host) const;

  /// A look at who is there, which misses nobody.
  void see(const std::set<std::string>& connected);

  /// A look: `connected` are the addresses with which srun is connected. Returns the place of a host that had a
  /// connection and has been without one for two looks while its ranks had not ended, since their last words may be on
  /// their way; -1 for none.
  int lost(const std::set<std::string>& connected);

 private:
  bool is_connected(std::size_t host, const std::set<std::string>& connected) const;

  const std::vector<StartedHost>& hosts_;
  /// Ranks that have begun and not ended, with their hosts.
  std::map<int, int> running_;
  std::vector<bool> seen_;
  std::vector<int> missed_;
};

}  // namespace ringrun
