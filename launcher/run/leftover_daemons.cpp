#include "launcher/run/leftover_daemons.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>

#include "launcher/engine/host_directory.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "launcher/run/capture.hpp"
#include "launcher/run/descendants.hpp"
#include "launcher/run/shell_stage.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

constexpr int kAtOnce = 64;
constexpr std::chrono::seconds kDeadline{5};
constexpr std::chrono::milliseconds kMoment{20};
// A reaper needs milliseconds.
constexpr std::chrono::seconds kReaping{2};

/// Reading another user's environment fails, and so does not match.
bool carries(pid_t process, const std::string& entry) {
  std::ifstream file("/proc/" + std::to_string(process) + "/environ");
  const std::string environment = std::string(1, '\0') + std::string(std::istreambuf_iterator<char>(file), {});
  return environment.find('\0' + entry + '\0') != std::string::npos;
}

std::vector<ProcessEntry> carriers(const std::string& entry) {
  std::vector<ProcessEntry> found;
  for (const ProcessEntry& process : read_processes()) {
    if (!process.ended && process.pid != getpid() && carries(process.pid, entry)) found.push_back(process);
  }
  return found;
}

/// How many there were.
int kill_all(const std::string& entry) {
  const std::vector<ProcessEntry> found = carriers(entry);
  for (const ProcessEntry& process : found) kill(process.pid, SIGKILL);
  return static_cast<int>(found.size());
}

/// Those at the top: what a wrapper leaves, its reaper ends, which must not be killed with it.
void kill_wrappers(const std::string& entry) {
  const std::vector<ProcessEntry> found = carriers(entry);
  for (const ProcessEntry& process : found) {
    const auto is_parent = [&](const ProcessEntry& other) { return other.pid == process.parent; };
    if (std::none_of(found.begin(), found.end(), is_parent)) kill(process.pid, SIGKILL);
  }
}

}  // namespace

void end_leftover_daemons(const JobCommand& command) {
  const auto json = find_variable(command.start.environment, kHostsVariable);
  if (!json) return;
  const HostDirectory directory = host_directory_from_json(*json);
  std::vector<CaptureCommand> commands;
  for (std::size_t i = 0; i < directory.hosts.size() && i < command.hosts.size(); ++i) {
    if (command.hosts[i].local || command.hosts[i].ranks == 0) continue;
    const bool copied = i < directory.programs.size() && !directory.programs[i].empty();
    const std::string& program = copied ? directory.programs[i] : command.ringrun;
    const std::vector<std::string> words = {"exec", program, "__end", command.run_id};
    commands.push_back({remote_command(directory.shell, directory.hosts[i], words), "", kDeadline, true});
  }
  capture_all(commands, kAtOnce);
}

int run_end(const std::vector<std::string>& words) {
  const bool ranks = words.size() == 2 && words[1] == kRanksAlone;
  if (words.empty() || words.size() > (ranks ? 2 : 1) || words[0].empty())
    throw UserError("ringrun __end: it is started by ringrun itself");
  const std::string entry = std::string(kRunVariable) + "=" + words[0];
  const auto start = std::chrono::steady_clock::now();
  if (ranks) {
    kill_wrappers(entry);
    while (!carriers(entry).empty() && std::chrono::steady_clock::now() < start + kReaping)
      std::this_thread::sleep_for(kMoment);
  }
  // Of ranks' own processes only those are left whose wrapper and reaper were killed in one moment.
  const std::string of_programs = "TORCHELASTIC_RUN_ID=" + words[0];
  while (kill_all(entry) + (ranks ? kill_all(of_programs) : 0) > 0 &&
         std::chrono::steady_clock::now() < start + kDeadline) {
    std::this_thread::sleep_for(kMoment);
  }
  return 0;
}

}  // namespace ringrun
