#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"

namespace ringrun {
namespace {

void find_missing_daemons(const Situation& situation, Findings& out) {
  if (situation.engine_version.empty()) return;
  for (const HostView* host : rank_hosts(situation)) {
    const SoftwareFacts& software = host->facts.software;
    // The version says nothing here: it stays unknown where the daemon is slow to tell it.
    if (host->local || !software.open_mpi_path.empty() || !software.open_mpi.empty()) continue;
    const bool old = compare_versions(situation.engine_version, "5", 1) < 0;
    out.push_back(
        {"L2",
         Severity::error,
         {host->name},
         std::string(old ? "orted" : "prted") + " is not on the PATH of a shell that is not interactive",
         "mpirun starts its daemon on each host through such a shell, which reads ~/.bashrc at most up to its "
         "test for interactive shells.",
         "sudo apt-get install -y openmpi-bin   # on " + host->name +
             "\n# or, where Open MPI is installed elsewhere:\nringrun --prefix /opt/openmpi …",
         ""});
  }
}

void find_refused_root(const Situation& situation, Findings& out) {
  if (situation.allow_run_as_root || situation.engine_version.empty()) return;
  const auto& environment = situation.launcher_environment;
  if (environment.count("OMPI_ALLOW_RUN_AS_ROOT") != 0 && environment.count("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") != 0) {
    return;
  }
  for (const HostView* host : answering_hosts(situation)) {
    if (!host->local || !host->facts.system.root) continue;
    out.push_back({"L6",
                   Severity::error,
                   {host->name},
                   "this is root",
                   "Open MPI does not start programs as root unless it is told to.",
                   "ringrun --allow-run-as-root …",
                   ""});
  }
}

void find_clock_skew(const Situation& situation, Findings& out) {
  constexpr std::int64_t kMilliseconds = 60'000;
  const HostView* reference = nullptr;
  for (const HostView* host : answering_hosts(situation)) {
    if (host->facts.system.clock_ms == 0) continue;
    if (reference == nullptr || (host->local && !reference->local)) reference = host;
  }
  for (const HostView* host : rank_hosts(situation)) {
    if (reference == nullptr || host->facts.system.clock_ms == 0) continue;
    const std::int64_t skew = host->facts.system.clock_ms - reference->facts.system.clock_ms;
    if (std::llabs(skew) <= kMilliseconds) continue;
    out.push_back({"L8",
                   Severity::warning,
                   {host->name},
                   fmt::format("the clock is {} s {} that of {}", std::llabs(skew) / 1000,
                               skew > 0 ? "ahead of" : "behind", reference->name),
                   "Logs do not fit together, and make and certificates go wrong.",
                   "sudo timedatectl set-ntp true   # WSL2: sudo hwclock -s",
                   ""});
  }
}

void find_equal_hostnames(const Situation& situation, Findings& out) {
  std::map<std::string, std::vector<const HostView*>> groups;
  for (const HostView* host : rank_hosts(situation)) {
    if (!host->facts.hostname.empty()) groups[host->facts.hostname].push_back(host);
  }
  for (const auto& [hostname, hosts] : groups) {
    const bool differ = std::any_of(hosts.begin(), hosts.end(), [&](const HostView* host) {
      return host->facts.identity != hosts.front()->facts.identity;
    });
    if (!differ) continue;
    std::vector<std::string> names;
    for (const HostView* host : hosts) names.push_back(host->name);
    out.push_back({"L8", Severity::warning, names, "different hosts call themselves " + hostname,
                   "Open MPI takes ranks on hosts of one name for neighbours that share memory.",
                   "sudo hostnamectl set-hostname NAME   # another on each; a container: docker run --hostname NAME …",
                   ""});
  }
}

}  // namespace

std::vector<CatalogueRow> launcher_rows() {
  const std::string group = "Launcher";
  return {
      {"L1", group, "`Host key verification failed`, `Permission denied`, or a prompt for ever",
       "the remote shell does not get there", "the shell that the launch will use, with a deadline",
       "keys, known_hosts, `port=`, by what the shell said", "", Coverage::detected, find_remote_shell_faults},
      {"L2", group, "`orted: command not found`", "Open MPI is not on the PATH of a shell that is not interactive",
       "it is looked for in that very shell", "`--prefix`, or install it there", "O#599", Coverage::detected,
       find_missing_daemons},
      {"L3", group, "`error while loading shared libraries`", "the loader does not find the program's libraries",
       "they are resolved on each host, with the job's environment",
       "`-x LD_LIBRARY_PATH=…`, an rpath, or `--preload-libraries`", "", Coverage::detected, find_missing_libraries},
      {"L4",
       group,
       "`host:2222` is taken for a name",
       "a hostfile gives the port another way",
       "when the hostfile is read",
       "`host port=2222`",
       "",
       Coverage::documented,
       {}},
      {"L5",
       group,
       "`not enough slots`",
       "more ranks than slots; to plain Open MPI a bare host is one slot",
       "slots are counted before the launch",
       "`slots=N` or `host:N`",
       "",
       Coverage::output,
       {}},
      {"L6", group, "mpirun refuses to run as root", "root", "the user's number", "`--allow-run-as-root`", "",
       Coverage::detected, find_refused_root},
      {"L7", group, "old behaviour on one host", "the program differs between hosts", "its hash on each host",
       "`--preload-binary`, or copy it: `scp PROGRAM HOST:PROGRAM`", "", Coverage::detected, find_differing_programs},
      {"L8", group, "logs that do not fit; ranks taken for neighbours", "clocks or host names clash",
       "they are compared", "`timedatectl set-ntp true`; another host name", "", Coverage::detected,
       [](const Situation& situation, Findings& out) {
         find_clock_skew(situation, out);
         find_equal_hostnames(situation, out);
       }},
      {"L9", group, "`version 'GLIBC_2.38' not found`",
       "the program was built on a newer distribution, or for another kind of processor",
       "what it needs against the host's machine, libc and libstdc++", "build on the oldest, or on each", "",
       Coverage::detected, find_unmet_needs},
      {"L10", group, "MPI_Init ends: both an include and an exclude",
       "a parameter file disagrees with the environment or the command line", "the files and variables are read",
       "drop one of the two", "", Coverage::detected, find_contradicting_parameters},
      {"L11", group, "`No such file or directory` on one host", "a program or a file cannot be copied to a host",
       "the disk, the rights and the mount options of the place for it",
       "by what is in the way: room, rights, another "
       "folder (`#: env.XDG_CACHE_HOME=/FOLDER`)",
       "", Coverage::detected, find_failed_copies},
      {"ECHO",
       group,
       "`unhandled system error`, `remote process exited or there was a network error`, `Connection closed by remote "
       "peer`, `PMIX ERROR: UNREACHABLE`",
       "another rank failed first",
       "not before the launch",
       "look at the first rank that failed, and at the lines before",
       "",
       Coverage::output,
       {}},
  };
}

}  // namespace ringrun
