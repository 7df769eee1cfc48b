#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"

namespace ringrun {
namespace {

/// Value → the hosts that have it; hosts for which it is "" are left out.
using Groups = std::map<std::string, std::vector<std::string>>;

Groups group_by(const std::vector<const HostView*>& hosts, const std::function<std::string(const HostView&)>& value) {
  Groups groups;
  for (const HostView* host : hosts) {
    if (const std::string found = value(*host); !found.empty()) groups[found].push_back(host->name);
  }
  return groups;
}

std::string describe(const Groups& groups, const std::string& what) {
  std::vector<std::string> parts;
  for (const auto& [value, hosts] : groups)
    parts.push_back(join(hosts) + (hosts.size() == 1 ? " has " : " have ") + value);
  return what + ": " + join(parts, "; ");
}

std::vector<std::string> all_hosts(const Groups& groups) {
  std::vector<std::string> names;
  for (const auto& [value, hosts] : groups) names.insert(names.end(), hosts.begin(), hosts.end());
  return names;
}

void find_nccl_versions(const Situation& situation, Findings& out) {
  if (!uses_nccl(situation)) return;
  const Groups groups = group_by(rank_hosts(situation), [](const HostView& host) { return host.facts.software.nccl; });
  if (groups.size() < 2) return;
  const std::string newest = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
                               return compare_versions(a.first, b.first) < 0;
                             })->first;
  // Other programs often bring an NCCL of their own (PyTorch does), the same on all hosts.
  out.push_back({"V1", situation.is_worker ? Severity::error : Severity::note, all_hosts(groups),
                 describe(groups, "NCCL"), "NCCL ends where its versions differ.",
                 "# on the others, the version of the newest:\nsudo apt-get install -y 'libnccl2=" + newest + "-*'",
                 ""});
}

void find_differing_variables(const Situation& situation, Findings& out) {
  if (!uses_nccl(situation)) return;
  for (const char* name : {"NCCL_PROTO", "NCCL_ALGO", "NCCL_BUFFSIZE", "NCCL_NTHREADS", "NCCL_MIN_NCHANNELS",
                           "NCCL_MAX_NCHANNELS", "NCCL_NET", "NCCL_CROSS_NIC"}) {
    const std::string variable = name;
    const Groups groups = group_by(rank_hosts(situation), [&](const HostView& host) {
      const auto setting = nccl_setting(host, name);
      if (!setting) return std::string("(unset)");
      // NCCL compares the name without regard to case.
      return variable == "NCCL_NET" ? lower_case(setting->value) : setting->value;
    });
    if (groups.size() < 2) continue;
    const bool fatal = variable == "NCCL_PROTO" || variable == "NCCL_ALGO" || variable == "NCCL_NET";
    out.push_back(
        {"V2", if_nccl_breaks(situation, fatal ? Severity::error : Severity::warning), all_hosts(groups),
         describe(groups, variable), "The ranks would send in different ways and not understand each other.",
         "ringrun -x " + variable + "=… …   # the same for all; look into ~/.nccl.conf and /etc/nccl.conf too", ""});
  }
}

/// Whether NCCL_IB_HCA ("mlx5_0:1,mlx5_1", "=…" for whole names, "^…" for all others) lets NCCL use the card.
bool is_admitted(const InfinibandDevice& card, const std::string& list) {
  const bool excludes = list.rfind('^', 0) == 0;
  const std::string rest = list.substr(excludes ? 1 : 0);
  const bool exact = rest.rfind('=', 0) == 0;
  const std::vector<std::string> entries = split(std::string_view(rest).substr(exact ? 1 : 0));
  const bool listed = std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
    const std::string name = entry.substr(0, entry.find(':'));
    return exact ? card.name == name : card.name.rfind(name, 0) == 0;
  });
  return entries.empty() || listed != excludes;
}

/// A card that NCCL's own InfiniBand transport takes: link layers other than these two (EFA's, Omni-Path's) are not
/// its, and neither are cards that the user leaves out.
bool uses_infiniband(const HostView& host) {
  const auto disabled = nccl_setting(host, "NCCL_IB_DISABLE");
  const auto net = nccl_setting(host, "NCCL_NET");
  if ((disabled && disabled->value == "1") || (net && lower_case(net->value) == "socket")) return false;
  const auto hca = nccl_setting(host, "NCCL_IB_HCA");
  const auto& cards = host.facts.fabric.infiniband;
  return std::any_of(cards.begin(), cards.end(), [&](const InfinibandDevice& card) {
    return card.active && (card.ethernet || card.routable_gid) && (!hca || is_admitted(card, hca->value));
  });
}

void find_one_sided_infiniband(const Situation& situation, Findings& out) {
  if (!uses_nccl(situation)) return;
  const Groups groups = group_by(rank_hosts(situation), [](const HostView& host) {
    return uses_infiniband(host) ? std::string("InfiniBand or RoCE") : "none";
  });
  if (groups.size() < 2) return;
  out.push_back({"V3", if_nccl_breaks(situation), all_hosts(groups), describe(groups, "active cards"),
                 "NCCL takes InfiniBand where it finds it and sockets elsewhere; the two do not meet.",
                 "ringrun -x NCCL_IB_DISABLE=1 …", ""});
}

void find_one_sided_plugins(const Situation& situation, Findings& out) {
  if (!uses_nccl(situation)) return;
  const Groups groups = group_by(rank_hosts(situation), [](const HostView& host) {
    return host.facts.software.nccl_plugin.empty() ? std::string("none") : std::string("libnccl-net.so");
  });
  if (groups.size() < 2) return;
  out.push_back({"V4", Severity::warning, all_hosts(groups), describe(groups, "network plugin"),
                 "NCCL loads the plugin where it finds it; the ranks then use different networks.",
                 "ringrun -x NCCL_NET_PLUGIN=none …   # or install it on all", ""});
}

void find_old_drivers(const Situation& situation, Findings& out) {
  if (!uses_nccl(situation)) return;
  for (const HostView* host : rank_hosts(situation)) {
    const SoftwareFacts& software = host->facts.software;
    if (!software.nvml_error.empty() || (host->facts.system.wsl && host->facts.gpus.empty())) continue;
    const bool none = software.driver.empty() && software.driver_cuda == 0 && host->facts.gpus.empty();
    // Within one major version a newer runtime runs on an older driver.
    const bool old = situation.is_worker && software.driver_cuda != 0 &&
                     situation.built_for_cuda / 1000 > software.driver_cuda / 1000;
    if (!none && !old) continue;
    const bool container = !host->facts.system.container_marks.empty();
    out.push_back({"V5",
                   if_nccl_breaks(situation),
                   {host->name},
                   none ? (host->facts.gpu_note.empty() ? "no NVIDIA driver" : host->facts.gpu_note)
                        : "driver " + software.driver + " knows CUDA up to " +
                              std::to_string(software.driver_cuda / 1000) + ", the worker was built for CUDA " +
                              std::to_string(situation.built_for_cuda / 1000),
                   none && container ? "A container sees the GPUs only where it was started with them."
                                     : "The CUDA runtime needs a driver at least as new as itself.",
                   none && container ? "docker run --gpus all …"
                                     : "sudo apt-get install -y nvidia-driver   # a newer one, then reboot",
                   ""});
  }
}

void find_open_mpi_versions(const Situation& situation, Findings& out) {
  Groups groups = group_by(rank_hosts(situation), [](const HostView& host) { return host.facts.software.open_mpi; });
  if (!situation.engine_version.empty() && groups.count(situation.engine_version) == 0 && !groups.empty()) {
    groups[situation.engine_version].push_back("the launching mpirun");
  }
  if (groups.size() < 2) return;
  const bool far = std::any_of(groups.begin(), groups.end(), [&](const auto& group) {
    return compare_versions(group.first, groups.begin()->first, 2) != 0;
  });
  std::vector<std::string> hosts = all_hosts(groups);
  hosts.erase(std::remove(hosts.begin(), hosts.end(), "the launching mpirun"), hosts.end());
  out.push_back({"V6", far ? Severity::error : Severity::warning, hosts, describe(groups, "Open MPI"),
                 far ? "mpirun and its daemons of different versions do not understand each other."
                     : "Builds of different patch levels mostly work together, and are not promised to.",
                 "# install the same Open MPI on all, or name the one to use:\nringrun --prefix /opt/openmpi …", ""});
}

/// Folders in which an Open MPI with this library or program may stand, the nearest last: those above each "lib" and
/// "lib64", or each "bin". RHEL has /usr/lib64/openmpi/lib beside /usr/lib64/openmpi/bin.
std::vector<std::string> prefixes_of(const std::string& path, const std::vector<std::string>& folders) {
  std::vector<std::string> prefixes;
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::size_t end = path.find('/', at + 1);
    if (end == std::string::npos) break;
    const std::string folder = path.substr(at + 1, end - at - 1);
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) continue;
    prefixes.push_back(at == 0 ? "/usr" : path.substr(0, at));  // /lib is /usr/lib
  }
  if (prefixes.empty()) prefixes.emplace_back("/usr");
  return prefixes;
}

/// By the library's own name, never by its folder's: libmpi.so.12 is the ABI of MPICH and its kin (Intel MPI,
/// MVAPICH), libmpi.so.40 is Open MPI's.
bool is_of_mpich(const std::string& library) {
  const std::string name = library.substr(library.rfind('/') + 1);
  return name.rfind("libmpich", 0) == 0 || name.rfind("libmpi.so.12", 0) == 0;
}

void find_other_mpi(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    const std::string& library = host->facts.program.mpi_library;
    const std::string& daemon = host->facts.software.open_mpi_path;
    if (library.empty() || daemon.empty()) continue;
    const bool foreign = is_of_mpich(library);
    const std::vector<std::string> prefixes = prefixes_of(library, {"lib", "lib64"});
    const std::string beside = prefixes_of(daemon, {"bin"}).back();
    if (!foreign && std::find(prefixes.begin(), prefixes.end(), beside) != prefixes.end()) continue;
    out.push_back({"V7",
                   foreign ? Severity::error : Severity::warning,
                   {host->name},
                   "the program is linked with " + library + ", the daemon is " + daemon,
                   "Under another MPI's launcher every process believes that it is rank 0 of 1.",
                   "# build the program with the mpicxx beside this mpirun, or launch with the other one:\nringrun "
                   "--prefix " +
                       prefixes.back() + " …",
                   ""});
  }
}

void find_isolated_launcher(const Situation& situation, Findings& out) {
  const std::vector<const HostView*> hosts = rank_hosts(situation);
  if (std::all_of(hosts.begin(), hosts.end(), [](const HostView* host) { return host->local; })) return;
  for (const char* name : {"OMPI_MCA_plm", "PRTE_MCA_plm"}) {
    const auto found = situation.launcher_environment.find(name);
    if (found == situation.launcher_environment.end() || found->second != "isolated") continue;
    out.push_back({"V8",
                   Severity::warning,
                   {},
                   std::string(name) + "=isolated in the environment",
                   "mpirun then starts nothing on other hosts and says that there are not enough slots.",
                   std::string("unset ") + name,
                   "ringrun ignores it."});
  }
}

std::string apt_repository(const std::string& distribution) {
  std::string name;
  for (const char letter : distribution) {
    if (letter >= 'A' && letter <= 'Z') name += static_cast<char>(letter - 'A' + 'a');
    if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) name += letter;
  }
  const bool known = name.rfind("ubuntu", 0) == 0 || name.rfind("debian", 0) == 0;
  return known ? name : "DISTRIBUTION";
}

void find_missing_nccl(const Situation& situation, Findings& out) {
  if (!uses_nccl(situation)) return;
  for (const HostView* host : rank_hosts(situation)) {
    const SoftwareFacts& software = host->facts.software;
    const bool missing = !software.nccl_why_not.empty() || (software.nccl.empty() && software.nccl_path.empty());
    const bool old = situation.is_worker && !missing && !situation.needs_nccl.empty() && !software.nccl.empty() &&
                     compare_versions(software.nccl, situation.needs_nccl) < 0;
    if (!missing && !old) continue;
    std::string seen = "NCCL " + software.nccl + ", the worker needs " + situation.needs_nccl;
    if (missing) seen = software.nccl_why_not.empty() ? "libnccl.so.2 is not found" : software.nccl_why_not;
    out.push_back({"V9",
                   situation.is_worker ? Severity::error : Severity::note,
                   {host->name},
                   seen,
                   situation.is_worker ? "The sweep between GPUs needs NCCL on every host."
                                       : "A program that brings no NCCL of its own does not start.",
                   "wget https://developer.download.nvidia.com/compute/cuda/repos/" +
                       apt_repository(host->facts.system.distribution) +
                       "/x86_64/cuda-keyring_1.1-1_all.deb\nsudo dpkg -i cuda-keyring_1.1-1_all.deb && sudo apt-get "
                       "update && sudo apt-get install -y libnccl2 libnccl-dev\n# or, where it is installed:\nringrun "
                       "-x LD_LIBRARY_PATH=$(dirname \"$(find / -name 'libnccl.so.2' -print -quit 2>/dev/null)\") …",
                   ""});
  }
}

}  // namespace

std::vector<CatalogueRow> version_rows() {
  const std::string group = "Versions, environment";
  return {
      {"V1", group, "`Mismatched NCCL version detected`", "the hosts' NCCL libraries differ", "versions are compared",
       "the same NCCL on all", "", Coverage::detected, find_nccl_versions},
      {"V2", group, "`Message truncated`, or a hang", "NCCL_PROTO, NCCL_ALGO or the like differ between hosts",
       "environment and nccl.conf files are compared", "the same value on all", "N#626", Coverage::detected,
       find_differing_variables},
      {"V3", group, "a hang where one host has InfiniBand", "only some hosts have an active InfiniBand card",
       "/sys/class/infiniband is compared", "`-x NCCL_IB_DISABLE=1`", "N#234", Coverage::untested,
       find_one_sided_infiniband},
      {"V4", group, "a hang where one host has a network plugin", "libnccl-net.so is on some hosts only",
       "the loader is asked on each host (`--doctor`)", "`-x NCCL_NET_PLUGIN=none`, or the plugin on all", "N#1634",
       Coverage::untested, find_one_sided_plugins},
      {"V5", group, "`CUDA driver version is insufficient`", "an old driver, or a container without `--gpus all`",
       "the driver's CUDA version against the worker's", "a newer driver; `docker run --gpus all`", "",
       Coverage::detected, find_old_drivers},
      {"V6", group, "the daemon reports a version mismatch", "the hosts' Open MPI differ", "versions are compared",
       "the same Open MPI on all, or `--prefix`", "O#13093", Coverage::detected, find_open_mpi_versions},
      {"V7", group, "N times rank 0 of 1", "the program is linked with another MPI than mpirun's, or with none",
       "the program's libmpi against the daemon's folder", "build with the mpicxx beside that mpirun", "NT#213, NT#329",
       Coverage::detected, find_other_mpi},
      {"V8", group, "`not enough slots` for every other host", "OMPI_MCA_plm=isolated in the environment",
       "the environment", "`unset OMPI_MCA_plm`; ringrun ignores it", "", Coverage::detected, find_isolated_launcher},
      {"V9", group, "`libnccl.so.2` not found, or older than the worker needs", "NCCL is not installed, or old",
       "it is looked for, and loaded (`--doctor`), on each host", "apt lines for that distribution, or LD_LIBRARY_PATH",
       "", Coverage::detected, find_missing_nccl},
  };
}

}  // namespace ringrun
