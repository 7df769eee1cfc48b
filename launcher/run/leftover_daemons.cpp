#include "launcher/run/leftover_daemons.hpp"

#include <signal.h>
#include <unistd.h>

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

/// Reading another user's environment fails, and so does not match.
bool carries(pid_t process, const std::string& entry) {
  std::ifstream file("/proc/" + std::to_string(process) + "/environ");
  const std::string environment = std::string(1, '\0') + std::string(std::istreambuf_iterator<char>(file), {});
  return environment.find('\0' + entry + '\0') != std::string::npos;
}

/// How many there were.
int kill_all(const std::string& entry) {
  int count = 0;
  for (const ProcessEntry& process : read_processes()) {
    if (process.ended || process.pid == getpid() || !carries(process.pid, entry)) continue;
    kill(process.pid, SIGKILL);
    ++count;
  }
  return count;
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
  if (words.size() != 1 || words[0].empty()) throw UserError("ringrun __end: it is started by ringrun itself");
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  while (kill_all(std::string(kRunVariable) + "=" + words[0]) > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kMoment);
  }
  return 0;
}

}  // namespace ringrun
