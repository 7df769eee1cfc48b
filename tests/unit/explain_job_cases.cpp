#include "tests/unit/explain_cases.hpp"

namespace ringrun::test {
namespace {

constexpr Transport mpi = Transport::mpi;
constexpr Transport nccl = Transport::nccl;
constexpr Severity error = Severity::error;
constexpr Severity warning = Severity::warning;
constexpr Severity note = Severity::note;

HostFacts& b_of(Situation& situation) { return situation.hosts[1].facts; }

void shell_says(Situation& situation, const std::string& words) {
  situation.hosts[1].fault = AgentFault::shell_failed;
  situation.hosts[1].agent_words = words;
  situation.hosts[1].try_by_hand = "ssh -p 2222 b true";
  situation.hosts[1].port = 2222;
  situation.reach.clear();
}

}  // namespace

std::vector<Case> interface_and_network_cases() {
  return {
      {"I1", nccl, error, "takes docker0 172.17.0.1", "unset NCCL_SOCKET_IFNAME",
       [](Situation& s) { s.hosts[1].environment["NCCL_SOCKET_IFNAME"] = "docker0"; }},
      {"I1", mpi, warning, "takes docker0 172.17.0.1", "unset NCCL_SOCKET_IFNAME",
       [](Situation& s) { b_of(s).configuration.environment["NCCL_SOCKET_IFNAME"] = "=docker0"; }},
      {"I2", nccl, warning, "NCCL_SOCKET_IFNAME=^docker0 (/etc/nccl.conf) takes lo", "NCCL_SOCKET_IFNAME=^lo,docker0",
       [](Situation& s) { b_of(s).configuration.nccl_files["/etc/nccl.conf"]["NCCL_SOCKET_IFNAME"] = "^docker0"; }},
      {"I2", nccl, error, "takes lo", "unset NCCL_SOCKET_IFNAME",
       [](Situation& s) { s.hosts[1].environment["NCCL_SOCKET_IFNAME"] = "lo"; }},
      {"I3", nccl, error, "=eth0 (the environment) takes none of this host's interfaces: lo, enp3s0, docker0",
       "=enp3s0", [](Situation& s) { s.hosts[1].environment["NCCL_SOCKET_IFNAME"] = "eth0"; }},
      {"I4", nccl, warning, "enp3s0 192.168.1.6 and enp4s0 192.168.1.66 are in one network", "--nic b=enp3s0",
       [](Situation& s) {
         b_of(s).interfaces.push_back(made_interface("enp4s0", InterfaceKind::hardware, "192.168.1.66"));
       }},
      {"I5", nccl, error, "ib0, which has no IPv4 address, only fe80::1", "AF_INET",
       [](Situation& s) {
         b_of(s).interfaces.push_back(made_interface("ib0", InterfaceKind::hardware, ""));
         b_of(s).interfaces.back().ipv6 = {{"fe80::1", 64}};
         s.hosts[1].environment["NCCL_SOCKET_IFNAME"] = "=ib0";
       }},
      {"I6", nccl, error, "takes enp3s0 and also enp3s0.20", "NCCL_SOCKET_IFNAME==enp3s0",
       [](Situation& s) {
         b_of(s).interfaces.push_back(made_interface("enp3s0.20", InterfaceKind::vlan, "10.20.0.6"));
         s.reach.push_back(made_link(0, 1, "10.20.0.6", "192.168.1.5", Outcome::dropped));
         s.hosts[1].environment["NCCL_SOCKET_IFNAME"] = "enp3s0";
       }},
      {"I7", mpi, error, "btl_tcp_if_include eth0 (the command line) takes none",
       "--mca btl_tcp_if_include 192.168.1.0/24",
       [](Situation& s) {
         s.parameters = {{"btl_tcp_if_include", "eth0"}};
       }},
      {"I8", mpi, warning, "192.168.1.6 and 192.168.1.60", "ip addr del 192.168.1.60/24 dev enp3s0",
       [](Situation& s) {
         b_of(s).interfaces[1].ipv4.push_back({"192.168.1.60", 24});
       }},
      {"I9", mpi, warning, "UCX_NET_DEVICES=eth9", "unset UCX_NET_DEVICES",
       [](Situation& s) {
         b_of(s).software.ucx = true;
         s.hosts[1].environment["UCX_NET_DEVICES"] = "eth9";
       }},
      {"I10", mpi, warning, "GLOO_SOCKET_IFNAME=eth0 is no interface", "unset GLOO_SOCKET_IFNAME",
       [](Situation& s) { s.hosts[1].environment["GLOO_SOCKET_IFNAME"] = "eth0"; }},
      {"NAT", mpi, error, "203.0.113.9 is none of its addresses", "bridged",
       [](Situation& s) {
         s.hosts[1].address = "203.0.113.9";
         cut(s, 0, 1, Outcome::dropped);
       }},
      {"NET", nccl, error, "enp3s0 192.168.1.6", "ip route get", [](Situation& s) { s.network.hosts[1] = {}; }},
      {"F1", nccl, error, "connection refused", "insert rule", [](Situation& s) { cut(s, 0, 1, Outcome::refused, 1); }},
      {"F2", nccl, error, "port range is 41000-41100", "sysctl -w",
       [](Situation& s) {
         s.ports = PortRange{41000, 41100};
       }},
      {"F3", mpi, error, "b cannot connect to a", "oob_tcp_if_include",
       [](Situation& s) { cut(s, 1, 0, Outcome::dropped); }},
      {"F4", mpi, error, "1472 pass", "mtu 1472",
       [](Situation& s) {
         s.reach[0].mtu_tried = 9000;
         s.reach[0].mtu_passed = 1472;
         s.reach[0].bulk_passed = 0;
       }},
      {"F5", mpi, error, "MASTER_PORT is taken", "--master-port 29400",
       [](Situation& s) { s.hosts[0].facts.master_port_free = false; }},
      {"F6", mpi, warning, "MASTER_ADDR=127.0.0.1, and rank 0 runs on a", "unset MASTER_ADDR",
       [](Situation& s) { s.hosts[0].environment["MASTER_ADDR"] = "127.0.0.1"; }},
      {"F6", mpi, warning, "MASTER_ADDR=b", "unset MASTER_ADDR",
       [](Situation& s) { s.hosts[0].environment["MASTER_ADDR"] = "b"; }},
      {"F6", mpi, warning, "MASTER_PORT=8888 lies outside --port-range 20000-20100", "--master-port 20100",
       [](Situation& s) {
         s.ports = PortRange{20000, 20100};
         s.hosts[0].environment["MASTER_PORT"] = "8888";
       }},
      {"F7", mpi, error, "enp3s0 192.168.1.6, which is down or has no link", "ip link set dev enp3s0 up   # on b",
       [](Situation& s) {
         for (Interface& interface : b_of(s).interfaces) interface.up = interface.kind == InterfaceKind::loopback;
         s.network.hosts[1] = {};
         for (Link& link : s.reach) {
           for (Attempt& attempt : link.attempts) attempt.outcome = Outcome::no_route;
         }
       }},
      {"I7", mpi, error, "oob_tcp_if_include eth0 (the command line): this host has no eth0", "192.168.1.0/24",
       [](Situation& s) {
         s.parameters = {{"oob_tcp_if_include", "eth0"}};
       }},
      {"I7", mpi, error, "btl_tcp_if_include eth0,enp3s0", "192.168.1.0/24",
       [](Situation& s) {
         s.parameters = {{"btl_tcp_if_include", "eth0,enp3s0"}};
       }},
  };
}

std::vector<Case> launcher_and_slow_cases() {
  return {
      {"L1", mpi, error, "Permission denied", "ssh-copy-id -p 2222 b",
       [](Situation& s) { shell_says(s, "b: Permission denied (publickey,password)."); }},
      {"L1", mpi, error, "Permission denied", "ringrun --setup-ssh -hostfile 'my hosts'   # says what each host lacks",
       [](Situation& s) {
         shell_says(s, "b: Permission denied (publickey,password).");
         s.setup_ssh = "ringrun --setup-ssh -hostfile 'my hosts'";
       }},
      {"L1", mpi, error, "nothing came for 5 s", "# asks for a password: ringrun --setup-ssh -H b\n",
       [](Situation& s) {
         shell_says(s, "");
         s.hosts[1].fault = AgentFault::silent;
         s.hosts[1].waited = 5;
         s.setup_ssh = "ringrun --setup-ssh -H b";
       }},
      {"L1", mpi, error, "during banner exchange", "sudo ss -ltnp 'sport = :2222'",
       [](Situation& s) {
         shell_says(s, "Connection timed out during banner exchange\nConnection to 192.168.1.6 port 2222 timed out");
       }},
      {"L1", mpi, error, "Unable to create step", "sinfo --Node --long --nodes=b",
       [](Situation& s) {
         shell_says(s, "srun: error: Unable to create step for job 7: Invalid job id specified");
         s.through_slurm = true;
       }},
      {"L1", mpi, error, "nothing came for 30 s", "squeue --me",
       [](Situation& s) {
         shell_says(s, "");
         s.through_slurm = true;
         s.hosts[1].fault = AgentFault::silent;
         s.hosts[1].waited = 30;
       }},
      {"L1", mpi, error, "strict checking", "ssh-keygen -R '[b]:2222'",
       [](Situation& s) {
         shell_says(s,
                    "Host key for [b]:2222 has changed and you have requested strict checking.\n"
                    "Host key verification failed.");
       }},
      {"L1", mpi, error, "Host key verification failed", "ssh-keyscan -p 2222 b >> ~/.ssh/known_hosts",
       [](Situation& s) { shell_says(s, "Host key verification failed."); }},
      {"L1", mpi, error, "Connection refused", "service ssh start",
       [](Situation& s) { shell_says(s, "ssh: connect to host b port 2222: Connection refused"); }},
      {"L1", mpi, error, "No route to host", "ping -c 1 192.168.1.6",
       [](Situation& s) { shell_says(s, "ssh: connect to host b port 22: No route to host"); }},
      {"L1", mpi, error, "timed out", "(C1)",
       [](Situation& s) {
         shell_says(s, "ssh: connect to host 172.17.0.2 port 22: Connection timed out");
         s.hosts[1].address = "172.17.0.2";
       }},
      {"L1", mpi, error, "ssh: not found", "apt-get install -y openssh-client",
       [](Situation& s) {
         shell_says(s, "ssh: not found");
         s.hosts[1].fault = AgentFault::no_shell;
       }},
      {"L1", mpi, error, "nothing came for 5 s", "BatchMode=yes",
       [](Situation& s) {
         shell_says(s, "");
         s.hosts[1].fault = AgentFault::silent;
         s.hosts[1].waited = 5;
       }},
      {"L2", mpi, error, "orted is not on the PATH", "--prefix",
       [](Situation& s) {
         b_of(s).software.open_mpi.clear();
         b_of(s).software.open_mpi_path.clear();
       }},
      {"L3", mpi, error, "libfoo.so.1", "LD_LIBRARY_PATH",
       [](Situation& s) { b_of(s).program.missing_libraries = {"libfoo.so.1"}; }},
      {"L6", mpi, error, "root", "--allow-run-as-root", [](Situation& s) { s.hosts[0].facts.system.root = true; }},
      {"L7", mpi, note, "./worker is not there", "by itself",
       [](Situation& s) {
         s.hosts[1].copies = {{"./worker", true}};
       }},
      {"L7", mpi, warning, "differs", "--preload-binary", [](Situation& s) { b_of(s).program.hash = "another"; }},
      {"L7", mpi, error, "could not be copied", "scp",
       [](Situation& s) {
         s.hosts[1].fault = AgentFault::no_program;
         s.reach.clear();
       }},
      {"L8", mpi, warning, "the clock is 120 s behind that of a", "timedatectl",
       [](Situation& s) { b_of(s).system.clock_ms -= 120'000; }},
      {"L8", mpi, warning, "call themselves a", "set-hostname", [](Situation& s) { b_of(s).hostname = "a"; }},
      {"L9", mpi, error, "needs GLIBC 2.38, the host has 2.35", "oldest",
       [](Situation& s) { b_of(s).program.needs_glibc = "2.38"; }},
      {"L9", mpi, error, "needs GLIBCXX 3.4.32, the host has 3.4.30", "oldest",
       [](Situation& s) {
         b_of(s).program.needs_glibcxx = "3.4.32";
         b_of(s).software.glibcxx = "3.4.30";
       }},
      {"L9", mpi, error, "is built for x86_64, the host is aarch64", "build it on that host",
       [](Situation& s) {
         b_of(s).program.machine = "x86_64";
         b_of(s).system.architecture = "aarch64";
       }},
      {"L9", mpi, error, "./worker needs GLIBC 2.38", "oldest",
       [](Situation& s) {
         s.hosts[1].copies = {{"./worker", false, "L9", "needs GLIBC 2.38, the host has 2.35"}};
       }},
      {"L9", mpi, error, "second needs GLIBC 2.38, the host has 2.35", "oldest",
       [](Situation& s) {
         s.more_programs = {"second"};
         b_of(s).more_programs = {b_of(s).program};
         b_of(s).more_programs[0].needs_glibc = "2.38";
       }},
      {"L11", mpi, error, "./worker cannot be copied there: /root is read-only", "XDG_CACHE_HOME",
       [](Situation& s) {
         s.hosts[1].copies = {{"./worker", true, "L11", "/root is read-only", "#: env.XDG_CACHE_HOME=/FOLDER"}};
       }},
      {"L10", mpi, error, "/etc/openmpi/openmpi-mca-params.conf", "btl_tcp_if_exclude/d",
       [](Situation& s) {
         b_of(s).configuration.mca_files["/etc/openmpi/openmpi-mca-params.conf"]["btl_tcp_if_exclude"] = "docker0";
         s.hosts[1].environment["OMPI_MCA_btl_tcp_if_include"] = "192.168.1.0/24";
       }},
      {"P1", nccl, note, "4 PCIe lanes of 16", "lspci", [](Situation& s) { b_of(s).gpus[0].pcie_width = 4; }},
      {"P2", nccl, note, "thermal slowdown", "nvidia-smi",
       [](Situation& s) { b_of(s).gpus[0].throttle = {"thermal slowdown"}; }},
      {"P3", nccl, note, "NCCL_IB_DISABLE=1", "unset NCCL_IB_DISABLE",
       [](Situation& s) {
         for (HostView& host : s.hosts) {
           host.facts.fabric = {{made_card()}, true};
           host.environment["NCCL_IB_DISABLE"] = "1";
         }
       }},
  };
}

}  // namespace ringrun::test
