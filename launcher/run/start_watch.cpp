#include "launcher/run/start_watch.hpp"

#include <algorithm>
#include <array>

namespace ringrun {
namespace {

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMost ? text + " and " + std::to_string(names.size() - kMost) + " more" : text;
}

}  // namespace

StartWatch::StartWatch(const std::vector<StartedHost>& hosts, EngineKind engine, bool tells_shells)
    : hosts_(hosts), engine_(engine), tells_shells_(tells_shells) {
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].ranks > 0) waiting_.insert(static_cast<int>(i));
  }
}

void StartWatch::add(const ShellRecord& record) {
  if (!record.code) {
    reached_.insert(record.host);
  } else if (waiting_.count(record.host) != 0) {
    failed_.insert({record.host, *record.code});
  } else if (lost_host_.empty() && record.host >= 0 && static_cast<std::size_t>(record.host) < hosts_.size()) {
    lost_host_ = hosts_[static_cast<std::size_t>(record.host)].name;
  }
}

void StartWatch::add(const StartRecord& record) {
  heard_ = true;
  waiting_.erase(record.host);
}

StartStage StartWatch::stage_of(int host, const std::set<std::string>& connected) const {
  if (engine_ == EngineKind::slurm) return StartStage::step;
  const StartedHost& known = hosts_[static_cast<std::size_t>(host)];
  const auto is_connected = [&](const std::string& address) { return connected.count(address) != 0; };
  if (known.local || std::any_of(known.addresses.begin(), known.addresses.end(), is_connected)) {
    return StartStage::wrapper;
  }
  const bool reached = !tells_shells_ || reached_.count(host) != 0;
  if (failed_.count(host) != 0) return reached ? StartStage::daemon_failed : StartStage::shell_failed;
  return reached ? StartStage::daemon : StartStage::shell;
}

StartWatch::Stalled StartWatch::stalled(const std::set<std::string>& connected) const {
  // A shell that has failed is known to be the reason; among the others the least advanced.
  constexpr std::array kOrder = {StartStage::shell_failed, StartStage::daemon_failed, StartStage::shell,
                                 StartStage::daemon,       StartStage::wrapper,       StartStage::step};
  for (const StartStage stage : kOrder) {
    Stalled stalled{stage, {}, 0};
    for (const int host : waiting_) {
      if (stage_of(host, connected) != stage) continue;
      const auto failed = failed_.find(host);
      if (failed != failed_.end() && stalled.hosts.empty()) stalled.code = failed->second;
      stalled.hosts.push_back(hosts_[static_cast<std::size_t>(host)].name);
    }
    if (!stalled.hosts.empty()) return stalled;
  }
  return {};
}

std::string stall_words(const StartWatch::Stalled& stalled) {
  const std::string hosts = listed(stalled.hosts);
  switch (stalled.stage) {
    case StartStage::shell:
      return "stage remote shell: the login on " + hosts + " has not run the command that starts mpirun's daemon";
    case StartStage::shell_failed:
      return "stage remote shell: that to " + hosts + " ended with code " + std::to_string(stalled.code) +
             " and did not start mpirun's daemon";
    case StartStage::daemon_failed:
      return "stage daemon: mpirun's daemon on " + hosts + " ended with code " + std::to_string(stalled.code) +
             (stalled.code == 127 ? " (command not found)" : "");
    case StartStage::daemon:
      return "stage daemon: mpirun's daemon was started on " + hosts + " and has not connected to mpirun";
    case StartStage::engine_port:
      return "stage daemon: mpirun listens on none of the ports that --port-range leaves it, so its daemons on " +
             hosts + " cannot connect";
    case StartStage::wrapper:
      return "stage wrapper: mpirun's daemon on " + hosts + " has started no rank";
    case StartStage::step:
      return "stage step: srun has started no rank on " + hosts;
  }
  return {};
}

std::string stall_remedy(const StartWatch::Stalled& stalled) {
  const std::string host = stalled.hosts.empty() ? "it" : stalled.hosts.front();
  switch (stalled.stage) {
    case StartStage::shell:
    case StartStage::shell_failed:
      return "try that login by hand: ssh " + host + " true";
    case StartStage::daemon_failed:
    case StartStage::daemon:
      return "ringrun --doctor shows whether " + host + " reaches this host, and which Open MPI it has";
    case StartStage::engine_port:
      return "start it again, since another job took the ports at the same moment, or give --port-range more of them";
    case StartStage::wrapper:
      return "look on " + host + " for a full file system, memory or process limits, and a stopped daemon";
    case StartStage::step:
      return "squeue --steps and scontrol show step say what the step waits for";
  }
  return {};
}

}  // namespace ringrun
