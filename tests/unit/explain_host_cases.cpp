#include "tests/unit/explain_cases.hpp"

namespace ringrun::test {
namespace {

constexpr Transport mpi = Transport::mpi;
constexpr Transport nccl = Transport::nccl;
constexpr Severity error = Severity::error;
constexpr Severity warning = Severity::warning;
constexpr Severity note = Severity::note;

HostFacts& b_of(Situation& situation) { return situation.hosts[1].facts; }

void close_container(Situation& situation, const std::string& words) {
  HostView& host = situation.hosts[1];
  host.container = "node";
  host.fault = AgentFault::no_container;
  host.agent_words = words;
  situation.reach.clear();
}

}  // namespace

std::vector<Case> wsl2_and_container_cases() {
  return {
      {"W1", nccl, error, "a is WSL2", "windows.ps1 -Peers 192.168.1.6\n",
       [](Situation& s) {
         make_wsl(s.hosts[0], "nat");
         cut(s, 1, 0, Outcome::refused, 1);
       }},
      {"W1", nccl, error, "a is WSL2", "networkingMode=mirrored",
       [](Situation& s) {
         make_wsl(s.hosts[0], "nat");
         cut(s, 1, 0, Outcome::refused, 1);
       }},
      {"W2", nccl, error, "b is WSL2", "docker run --network host",
       [](Situation& s) {
         make_wsl(s.hosts[1], "nat");
         put_on_bridge(s, "172.17.0.2");
       }},
      {"W4", nccl, error, "mirrored", "Set-NetFirewallHyperVVMSetting",
       [](Situation& s) {
         make_wsl(s.hosts[1], "mirrored");
         cut(s, 0, 1, Outcome::dropped);
       }},
      {"W5", nccl, warning, "port 5004 is MASTER_PORT", "--master-port",
       [](Situation& s) {
         make_wsl(s.hosts[0], "mirrored");
         s.hosts[0].environment["MASTER_PORT"] = "5004";
       }},
      {"W6", nccl, error, "NetworkManager runs", "disable --now NetworkManager",
       [](Situation& s) {
         make_wsl(s.hosts[1], "mirrored");
         b_of(s).interfaces.resize(1);
         b_of(s).system.network_manager = true;
         s.reach.clear();
         s.network.hosts[1] = {};
       }},
      {"W7", nccl, note, "without systemd", "systemd=true",
       [](Situation& s) {
         make_wsl(s.hosts[1], "mirrored");
         b_of(s).system.systemd = false;
       }},
      {"W8", nccl, note, "(b) is 127.0.1.1", "192.168.1.6 b",
       [](Situation& s) { b_of(s).configuration.hostname_address = "127.0.1.1"; }},
      {"W9", nccl, error, "NCCL 2.8.4 on WSL2", "libnccl2",
       [](Situation& s) {
         for (HostView& host : s.hosts) host.facts.software.nccl = "2.8.4";
         s.needs_nccl = "";
         make_wsl(s.hosts[1], "mirrored");
       }},
      {"W10", nccl, error, "libcuda.so.1 is not there", "Windows",
       [](Situation& s) {
         make_wsl(s.hosts[1], "mirrored");
         b_of(s).system.wsl_cuda_library = false;
         b_of(s).gpus.clear();
       }},
      {"W11", nccl, warning, "2 GPUs in WSL2", "NCCL_P2P_DISABLE=1",
       [](Situation& s) {
         make_wsl(s.hosts[1], "mirrored");
         b_of(s).gpus.push_back(b_of(s).gpus[0]);
         b_of(s).gpus[1].uuid = "GPU-other";
         s.hosts[1].ranks = 2;
       }},
      {"W12", nccl, error, "192.168.1.6 is none of this container's addresses", "docker-ce",
       [](Situation& s) {
         make_wsl(s.hosts[1], "nat");
         b_of(s).system.container_marks = {"/.dockerenv"};
         b_of(s).interfaces[1].ipv4 = {{"192.168.65.3", 24}};
         cut(s, 0, 1, Outcome::refused, 1);
       }},
      {"C1", mpi, error, "172.17.0.2", "docker run --network host",
       [](Situation& s) { put_on_bridge(s, "172.17.0.2"); }},
      {"C1b", mpi, error, "its own is 172.17.0.2", "docker run --network host",
       [](Situation& s) { put_on_bridge(s, "192.168.1.6"); }},
      {"C3", nccl, warning, "/dev/shm has 64MB", "--shm-size=1g",
       [](Situation& s) {
         b_of(s).limits.shm_bytes = 64 << 20;
         b_of(s).system.container_marks = {"/.dockerenv"};
       }},
      {"C4", nccl, warning, "not permitted", "SYS_NICE", [](Situation& s) { b_of(s).limits.numa_calls = false; }},
      {"C5", mpi, note, "not permitted", "SYS_NICE", [](Situation& s) { b_of(s).limits.numa_calls = false; }},
      {"C6", mpi, warning, "sibling", "SYS_PTRACE",
       [](Situation& s) {
         b_of(s).limits.process_vm_calls = false;
         s.hosts[1].ranks = 2;
       }},
      {"C7", nccl, note, "64KB", "memlock", [](Situation& s) { b_of(s).limits.memlock_bytes = 65536; }},
      {"C7", mpi, warning, "64KB", "memlock",
       [](Situation& s) {
         b_of(s).limits.memlock_bytes = 65536;
         b_of(s).fabric.infiniband = {made_card()};
       }},
      {"C8", nccl, error, "Unknown Error", "docker restart",
       [](Situation& s) { b_of(s).software.nvml_error = "Unknown Error"; }},
      {"C9", mpi, warning, "sshd of a docker host", "sshd -p 2222",
       [](Situation& s) {
         b_of(s).program = {};
         b_of(s).program.state = ProgramState::missing;
       }},
      {"C10", nccl, note, "boot of a", "NCCL_HOSTID",
       [](Situation& s) { b_of(s).system.boot_id = s.hosts[0].facts.system.boot_id; }},
      {"C1b", mpi, error, "its own is 172.17.0.2", "docker rm --force node\ndocker run --detach --init --name node",
       [](Situation& s) {
         put_on_bridge(s, "192.168.1.6");
         s.hosts[1].container = "node";
       }},
      {"C11", mpi, error, "No such container: node", "docker ps --all --format '{{.Names}} {{.Status}}'",
       [](Situation& s) { close_container(s, "Error response from daemon: No such container: node"); }},
      {"C11", mpi, error, "is not running", "# on b:\ndocker start node",
       [](Situation& s) { close_container(s, "Error response from daemon: Container 4e is not running"); }},
      {"C11", mpi, error, "permission denied", "usermod -aG docker",
       [](Situation& s) {
         close_container(s, "permission denied while trying to connect to the Docker daemon socket");
       }},
      {"C11", mpi, error, "not found", "apt-get install -y docker.io",
       [](Situation& s) { close_container(s, "bash: line 1: docker: command not found"); }},
  };
}

std::vector<Case> version_and_gpu_cases() {
  return {
      {"V1", nccl, error, "a has 2.28.9", "libnccl2=2.28.9", [](Situation& s) { b_of(s).software.nccl = "2.21.5"; }},
      {"V2", nccl, error, "b has LL128", "NCCL_PROTO",
       [](Situation& s) { b_of(s).configuration.environment["NCCL_PROTO"] = "LL128"; }},
      {"V3", nccl, error, "b has InfiniBand or RoCE; a has none", "NCCL_IB_DISABLE=1",
       [](Situation& s) {
         b_of(s).fabric = {{made_card()}, true};
       }},
      {"V4", nccl, warning, "b has libnccl-net.so", "NCCL_NET_PLUGIN=none",
       [](Situation& s) { b_of(s).software.nccl_plugin = "/opt/libnccl-net.so"; }},
      {"V5", nccl, error, "CUDA up to 11", "nvidia-driver", [](Situation& s) { b_of(s).software.driver_cuda = 11080; }},
      {"V5", nccl, error, "no NVIDIA driver", "docker run --gpus all",
       [](Situation& s) {
         b_of(s).software.driver.clear();
         b_of(s).software.driver_cuda = 0;
         b_of(s).gpus.clear();
         b_of(s).system.container_marks = {"/.dockerenv"};
       }},
      {"V6", mpi, error, "b has 5.0.7", "--prefix", [](Situation& s) { b_of(s).software.open_mpi = "5.0.7"; }},
      {"V6", mpi, warning, "b has 4.1.2", "--prefix", [](Situation& s) { b_of(s).software.open_mpi = "4.1.2"; }},
      {"V7", mpi, error, "libmpich.so.12", "mpicxx",
       [](Situation& s) { b_of(s).program.mpi_library = "/usr/lib/x86_64-linux-gnu/libmpich.so.12"; }},
      {"V7", mpi, warning, "/opt/openmpi/lib/libmpi.so.40", "--prefix /opt/openmpi",
       [](Situation& s) { b_of(s).program.mpi_library = "/opt/openmpi/lib/libmpi.so.40"; }},
      {"V8", mpi, warning, "OMPI_MCA_plm=isolated", "unset OMPI_MCA_plm",
       [](Situation& s) { s.launcher_environment["OMPI_MCA_plm"] = "isolated"; }},
      {"V9", nccl, error, "libnccl.so.2: cannot open", "repos/ubuntu2204/",
       [](Situation& s) {
         b_of(s).software.nccl.clear();
         b_of(s).software.nccl_path.clear();
         b_of(s).software.nccl_why_not = "libnccl.so.2: cannot open shared object file";
       }},
      {"V9", nccl, error, "the worker needs 2.30.1", "libnccl2", [](Situation& s) { s.needs_nccl = "2.30.1"; }},
      {"G1", nccl, warning, "GPU-of-a", "gpus=1", [](Situation& s) { b_of(s).gpus[0].uuid = "GPU-of-a"; }},
      {"G1", nccl, error, "GPU-of-a", "--gpus",
       [](Situation& s) {
         b_of(s).gpus[0].uuid = "GPU-of-a";
         for (HostView& host : s.hosts) host.environment["NCCL_HOSTID"] = "one";
       }},
      {"G2", nccl, error, "2 ranks, 1 GPU", "b slots=1", [](Situation& s) { s.hosts[1].ranks = 2; }},
      {"G3", nccl, error, "prohibited", "nvidia-smi -i 0 -c DEFAULT",
       [](Situation& s) { b_of(s).gpus[0].compute_mode = "prohibited"; }},
      {"G3", nccl, note, "exclusive process", "nvidia-smi",
       [](Situation& s) { b_of(s).gpus[0].compute_mode = "exclusive process"; }},
      {"G4", nccl, warning, "MIG", "-mig 0", [](Situation& s) { b_of(s).gpus[0].mig = true; }},
      {"G6", nccl, error, "Driver/library version mismatch", "reboot",
       [](Situation& s) {
         b_of(s).software.nvml_error = "Driver/library version mismatch";
         b_of(s).gpus.clear();
       }},
      {"G6", nccl, warning, "GPU is lost", "nvidia-smi",
       [](Situation& s) { b_of(s).software.nvml_error = "GPU is lost"; }},
      {"G7", nccl, warning, "mlx5_0 (RoCE) has no GID", "NCCL_IB_GID_INDEX",
       [](Situation& s) {
         for (HostView& host : s.hosts) host.facts.fabric = {{made_card()}, true};
         b_of(s).fabric.infiniband[0].ethernet = true;
         b_of(s).fabric.infiniband[0].routable_gid = false;
       }},
      {"G8", nccl, warning, "on a it is", "modprobe nvidia_peermem",
       [](Situation& s) {
         for (HostView& host : s.hosts) host.facts.fabric = {{made_card()}, true};
         b_of(s).fabric.peermem = false;
       }},
  };
}

}  // namespace ringrun::test
