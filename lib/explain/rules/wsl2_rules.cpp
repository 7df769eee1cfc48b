#include <array>
#include <string>

#include "lib/explain/broken_pairs.hpp"
#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"

namespace ringrun {
namespace {

const char* const kMirror =
    "# by hand, on Windows 11 22H2 or newer, in %UserProfile%\\.wslconfig:\n"
    "[wsl2]\n"
    "networkingMode=mirrored\n"
    "# then in PowerShell:\n"
    "wsl --shutdown";

const char* const kHyperVFirewall =
    "# by hand, in PowerShell as administrator:\n"
    "Set-NetFirewallHyperVVMSetting -Name '{40E0AC32-46A5-438A-A0B2-2B479E8F2E90}' -DefaultInboundAction Allow";

/// The script that does all of it on Windows, for the other hosts of this job.
std::string windows_script(const Situation& situation, std::size_t place) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::string> peers;
  for (std::size_t i = 0; i < situation.hosts.size(); ++i) {
    const HostView& host = situation.hosts[i];
    const std::string address = host.address.empty() ? own_address(host.facts) : host.address;
    const bool same = !host.facts.identity.empty() && host.facts.identity == situation.hosts[place].facts.identity;
    if (i != place && !same && !address.empty() && address.rfind("127.", 0) != 0) peers.push_back(address);
  }
  const std::string named = peers.empty() || peers.size() > kNamed ? "THE_OTHER_HOSTS_NETWORK/24" : join(peers, ",");
  return "# in PowerShell as administrator, in ringrun's folder hostfiles/nodes/wsl2 (its README.md says more):\n"
         "powershell -ExecutionPolicy Bypass -File windows.ps1 -Peers " +
         named + "\n";
}

std::string mode_of(const HostView& host) {
  const std::string& mode = host.facts.system.wsl_networking;
  return host.name + " is WSL2 in networking mode " + (mode.empty() ? "unknown" : mode) + ", its own address is " +
         own_address(host.facts);
}

void find_translated_wsl(const Situation& situation, Findings& out) {
  for (const BrokenPairs& broken : broken_by(situation, "W1")) {
    out.push_back(
        {"W1", broken.severity, names_of(situation, broken),
         describe(situation, broken) + "\n" + mode_of(situation.hosts[broken.hosts.front()]),
         "Windows translates this host's address, so other hosts cannot open connections to it; a forwarded "
         "port is not enough, since NCCL and MPI open many.",
         windows_script(situation, broken.hosts.front()) + kMirror + "\n# and let connections in:\n" + kHyperVFirewall,
         ""});
  }
}

void find_bridge_in_wsl(const Situation& situation, Findings& out) {
  for (const BrokenPairs& broken : broken_by(situation, "W2")) {
    out.push_back({"W2", broken.severity, names_of(situation, broken),
                   describe(situation, broken) + "\n" + mode_of(situation.hosts[broken.hosts.front()]),
                   "A container on docker's bridge inside WSL2 stands behind two address translations.",
                   std::string("# inside WSL2, with docker-ce:\ndocker run --network host --gpus all --shm-size=1g "
                               "IMAGE\n") +
                       kMirror,
                   ""});
  }
}

void find_hyper_v_firewall(const Situation& situation, Findings& out) {
  for (const BrokenPairs& broken : broken_by(situation, "W4")) {
    out.push_back({"W4", broken.severity, names_of(situation, broken),
                   describe(situation, broken) + "\n" + mode_of(situation.hosts[broken.hosts.front()]),
                   "In mirrored mode Windows' Hyper-V firewall drops what comes from the local network.",
                   windows_script(situation, broken.hosts.front()) + kHyperVFirewall, ""});
  }
}

void find_unsteered_ports(const Situation& situation, Findings& out) {
  constexpr std::array<int, 7> kWindowsPorts = {135, 1900, 2869, 3702, 5004, 5357, 5358};
  for (const HostView* host : rank_hosts(situation)) {
    if (host->facts.system.wsl_networking != "mirrored") continue;
    const std::string master_port = rank_variable(*host, "MASTER_PORT").value_or("");
    for (const int port : kWindowsPorts) {
      const bool ranged = situation.ports && situation.ports->first <= port && port <= situation.ports->last;
      if (!ranged && master_port != std::to_string(port)) continue;
      out.push_back({"W5",
                     Severity::warning,
                     {host->name},
                     "port " + std::to_string(port) + (ranged ? " lies in the port range" : " is MASTER_PORT"),
                     "Windows keeps this port for itself, so nothing that is sent to it reaches WSL2.",
                     "ringrun --master-port 29400   # or a --port-range without it",
                     ""});
    }
  }
}

void find_missing_mirror(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    const SystemFacts& system = host->facts.system;
    if (system.wsl_networking != "mirrored" || !own_address(host->facts).empty()) continue;
    out.push_back({"W6",
                   Severity::error,
                   {host->name},
                   std::string("mirrored mode, but no interface besides lo has an address") +
                       (system.network_manager ? "; NetworkManager runs" : ""),
                   "NetworkManager inside the distribution takes the mirrored interfaces down.",
                   "sudo systemctl disable --now NetworkManager   # then, in PowerShell: wsl --shutdown\n"
                   "# or, with all else that a node needs, in ringrun's folder there:\nhostfiles/nodes/wsl2/setup",
                   ""});
  }
}

void find_idle_stop(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    const SystemFacts& system = host->facts.system;
    if (!system.wsl || system.systemd || host->local || !system.container_marks.empty()) continue;
    out.push_back({"W7",
                   Severity::note,
                   {host->name},
                   "WSL2 without systemd",
                   "Windows stops the distribution some time after its last window closes, sshd and job with it.",
                   "# keep a terminal open there, or in /etc/wsl.conf:\n[boot]\nsystemd=true\n"
                   "# and on Windows the rest of hostfiles/nodes/wsl2/README.md, \"Keeping it alive\"",
                   ""});
  }
}

void find_loopback_names(const Situation& situation, Findings& out) {
  if (rank_hosts(situation).size() < 2) return;
  for (const HostView* host : rank_hosts(situation)) {
    const std::string& address = host->facts.configuration.hostname_address;
    if (address.rfind("127.", 0) != 0) continue;
    out.push_back({"W8",
                   Severity::note,
                   {host->name},
                   "the host's own name (" + host->facts.hostname + ") is " + address + " there",
                   "A program that tells the others its address by its name tells them a loopback address.",
                   "# in /etc/hosts there, the address that others know:\n" +
                       (host->address.empty() ? own_address(host->facts) : host->address) + " " + host->facts.hostname,
                   "The ranks get addresses that were tried, never this name."});
  }
}

void find_old_nccl(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    const std::string& nccl = host->facts.software.nccl;
    if (!host->facts.system.wsl || nccl.empty() || compare_versions(nccl, "2.10", 2) >= 0) continue;
    out.push_back({"W9",
                   uses_nccl(situation) && situation.is_worker ? Severity::error : Severity::note,
                   {host->name},
                   "NCCL " + nccl + " on WSL2",
                   "NCCL before 2.10 needs PCI in /sys, which WSL2 does not have.",
                   "sudo apt-get install -y --only-upgrade libnccl2",
                   ""});
  }
}

void find_missing_wsl_driver(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    const SystemFacts& system = host->facts.system;
    if (!system.wsl || !system.container_marks.empty() || !host->facts.gpus.empty()) continue;
    if (system.wsl_gpu_device && system.wsl_cuda_library && !uses_nccl(situation)) continue;
    const std::string seen = !system.wsl_gpu_device     ? "/dev/dxg is not there"
                             : !system.wsl_cuda_library ? "/usr/lib/wsl/lib/libcuda.so.1 is not there"
                                                        : "/dev/dxg is there, but no GPU is seen";
    out.push_back({"W10",
                   uses_nccl(situation) ? if_nccl_breaks(situation) : Severity::note,
                   {host->name},
                   seen,
                   "In WSL2 the GPU comes with the Windows driver alone; a Linux driver inside hides it.",
                   "# install NVIDIA's driver on Windows, none inside WSL2, then:\n"
                   "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH && /usr/lib/wsl/lib/nvidia-smi",
                   ""});
  }
}

void find_peer_access_in_wsl(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    if (!uses_nccl(situation) || !host->facts.system.wsl || host->facts.gpus.size() < 2 || host->ranks == 1) continue;
    if (nccl_setting(*host, "NCCL_P2P_DISABLE")) continue;
    out.push_back({"W11",
                   Severity::warning,
                   {host->name},
                   std::to_string(host->facts.gpus.size()) + " GPUs in WSL2",
                   "GPUs in WSL2 cannot always read each other's memory.",
                   "ringrun -x NCCL_P2P_DISABLE=1 …",
                   ""});
  }
}

void find_docker_desktop(const Situation& situation, Findings& out) {
  for (const BrokenPairs& broken : broken_by(situation, "W12")) {
    const HostView& host = situation.hosts[broken.hosts.front()];
    out.push_back({"W12", broken.severity, names_of(situation, broken),
                   describe(situation, broken) + "\n" + host.address + " is none of this container's addresses (" +
                       own_address(host.facts) + ")",
                   "Docker Desktop's host network is that of its own virtual machine, not the computer's.",
                   std::string("# use docker-ce inside WSL2 (or native Linux) and\ndocker run --network host --gpus "
                               "all --shm-size=1g IMAGE\n") +
                       kMirror,
                   ""});
  }
}

}  // namespace

std::vector<CatalogueRow> wsl2_rows() {
  const std::string group = "WSL2";
  return {
      {"W1", group, "rendezvous or connect errors, with or without `netsh portproxy`",
       "WSL2 is behind Windows' address translation: one port can be forwarded, NCCL opens many",
       "`wslinfo --networking-mode` is not mirrored, and a peer cannot connect back",
       "`[wsl2] networkingMode=mirrored` in `.wslconfig`, then `wsl --shutdown`", "P#113868", Coverage::untested,
       find_translated_wsl},
      {"W2", group, "`Connect to 172.17.0.2<…> failed`", "a container on docker's bridge inside WSL2",
       "the marks of C1 and of WSL2", "`docker run --network host …` inside WSL2, and mirrored networking", "N#929",
       Coverage::untested, find_bridge_in_wsl},
      {"W3",
       group,
       "mirrored networking falls back to NAT",
       "mirrored networking needs Windows 11 22H2",
       "not from Linux: it shows as W1",
       "upgrade Windows, or use native Linux",
       "W#10495",
       Coverage::documented,
       {}},
      {"W4", group, "mirrored, yet nothing comes in from the local network", "the Hyper-V firewall",
       "mirrored, and a peer's probe does not arrive",
       "`Set-NetFirewallHyperVVMSetting -Name '{40E0AC32-46A5-438A-A0B2-2B479E8F2E90}' -DefaultInboundAction Allow`",
       "W#10535", Coverage::untested, find_hyper_v_firewall},
      {"W5", group, "one port never arrives", "Windows keeps TCP 135, 1900, 2869, 3702, 5004, 5357, 5358",
       "mirrored, and MASTER_PORT or the port range has one of them", "another port: `--master-port`", "",
       Coverage::untested, find_unsteered_ports},
      {"W6", group, "mirrored shows only lo", "NetworkManager in the distribution",
       "mirrored, and no interface but lo has an address", "`sudo systemctl disable --now NetworkManager`", "W#11090",
       Coverage::untested, find_missing_mirror},
      {"W7", group, "the node vanishes when the terminal closes", "WSL2 stops when it seems idle",
       "WSL2 whose first process is not systemd", "keep a terminal open, or `systemd=true` in /etc/wsl.conf", "W#8654",
       Coverage::untested, find_idle_stop},
      {"W8", group, "a peer is told 127.0.1.1", "the host's own name is a loopback address",
       "the host looks its own name up", "addresses instead of names; the address in /etc/hosts", "",
       Coverage::detected, find_loopback_names},
      {"W9", group, "`Could not find real path of /sys/class/pci_bus/…`", "an old NCCL, and no PCI in WSL2's /sys",
       "NCCL before 2.10 on WSL2", "NCCL 2.10 or newer", "N#442", Coverage::untested, find_old_nccl},
      {"W10", group, "`Failed to find CUDA library libcuda.so`", "WSL2's driver library is not found",
       "no GPU, and /dev/dxg or /usr/lib/wsl/lib/libcuda.so.1 is missing",
       "only the Windows driver; `/usr/lib/wsl/lib` in LD_LIBRARY_PATH", "", Coverage::untested,
       find_missing_wsl_driver},
      {"W11", group, "two or more GPUs: `unhandled cuda error`", "GPUs in WSL2 cannot read each other's memory",
       "WSL2 with two or more GPUs", "`-x NCCL_P2P_DISABLE=1`", "", Coverage::untested, find_peer_access_in_wsl},
      {"W12", group, "Docker Desktop's `--network host` does not help",
       "Docker Desktop's host network is its virtual machine's",
       "a container in WSL2 or LinuxKit without the address by which it is named", "docker-ce inside WSL2", "",
       Coverage::untested, find_docker_desktop},
  };
}

}  // namespace ringrun
