#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "lib/explain/broken_pairs.hpp"
#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"
#include "lib/text/byte_size.hpp"

namespace ringrun {
namespace {

/// The docker host's own address, as it shows from outside; "" where nothing shows it.
std::string docker_host_address(const Situation& situation, std::size_t container) {
  const HostView& host = situation.hosts[container];
  if (!host.address.empty() && !owns(host, host.address)) return host.address;
  for (const Link& link : situation.reach) {
    const bool leaves = static_cast<std::size_t>(link.from) == container && !link.seen_as.empty();
    if (leaves && !owns(host, link.seen_as)) return link.seen_as;
  }
  return {};
}

std::string host_network_fix(const Situation& situation, std::size_t container) {
  const HostView& host = situation.hosts[container];
  if (!host.container.empty()) {
    return fmt::format(
        "# on the docker host, the container again, on its host's network:\n"
        "docker rm --force {0}\n"
        "docker run --detach --init --name {0} --network host --gpus all --shm-size=1g --ulimit memlock=-1 IMAGE",
        host.container);
  }
  const std::string outside = docker_host_address(situation, container);
  const std::string shown = outside.empty() ? "ADDRESS" : outside;
  const int port = host.port.value_or(2222);
  return fmt::format(
      "# on the docker host, in place of -p {1}:22 and docker's bridge:\n"
      "docker run --network host --gpus all --shm-size=1g --ulimit memlock=-1 IMAGE\n"
      "# inside, an sshd on a port of its own, since the host's sshd has port 22:\n"
      "/usr/sbin/sshd -p {1}\n"
      "# in the hostfile{2}:\n"
      "{0} port={1}\n"
      "# the network card to use is the one that carries {0} on the docker host (NCCL_SOCKET_IFNAME==NAME; ringrun "
      "finds and sets it then):\n"
      "ip -br -4 addr | grep -w {0}",
      shown, port, outside.empty() ? " (ADDRESS: the docker host's own)" : "");
}

void find_bridge_containers(const Situation& situation, const std::string& id, Findings& out) {
  for (const BrokenPairs& broken : broken_by(situation, id)) {
    const std::size_t place = broken.hosts.front();
    const HostView& host = situation.hosts[place];
    const std::string own = own_address(host.facts);
    const std::string marks = join(host.facts.system.container_marks);
    std::string evidence = describe(situation, broken);
    std::string why;
    if (id == "C1b") {
      evidence +=
          fmt::format("\n{} is none of this container's addresses; its own is {} ({})", host.address, own, marks);
      const char* way = host.container.empty() ? "Its published ssh port leads" : "docker exec leads";
      why = fmt::format(
          "{} belongs to the docker host. {} into the container, but NCCL and MPI listen on other ports of {}, which "
          "nothing outside that docker host can reach.",
          host.address, way, own);
    } else {
      const std::string outside = docker_host_address(situation, place);
      evidence += fmt::format("\n{} is a container whose only address is {} ({})", host.name, own, marks);
      if (!outside.empty()) evidence += fmt::format("; others see it as {}, the docker host's address", outside);
      why = fmt::format("{} is an address of docker's bridge: only the docker host itself can reach it.", own);
    }
    out.push_back(
        {id, broken.severity, names_of(situation, broken), evidence, why, host_network_fix(situation, place), ""});
  }
}

void find_small_shared_memory(const Situation& situation, Findings& out) {
  constexpr std::int64_t kEnough = std::int64_t{256} << 20;
  for (const HostView* host : rank_hosts(situation)) {
    const std::int64_t size = host->facts.limits.shm_bytes;
    if (size < 0 || size >= kEnough || (!uses_nccl(situation) && host->ranks == 1)) continue;
    const bool container = !host->facts.system.container_marks.empty();
    out.push_back(
        {"C3",
         Severity::warning,
         {host->name},
         "/dev/shm has " + format_byte_size(size) + "B",
         "NCCL and MPI pass data between the ranks of a host through /dev/shm; where it is full they fail "
         "or die of a bus error.",
         container ? "docker run --shm-size=1g …   # or --ipc=host" : "sudo mount -o remount,size=1g /dev/shm",
         ""});
  }
}

void find_blocked_numa_calls(const Situation& situation, const std::string& id, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    if (host->facts.limits.numa_calls) continue;
    const std::string fix = "docker run --cap-add SYS_NICE …";
    out.push_back({id,
                   id == "C4" ? Severity::warning : Severity::note,
                   {host->name},
                   "get_mempolicy or set_mempolicy is not permitted",
                   id == "C4" ? "NCCL's host memory from cuMem needs them." : "Memory cannot be bound to a NUMA node.",
                   id == "C4" ? fix + "\n# or\nringrun -x NCCL_CUMEM_HOST_ENABLE=0 …" : fix,
                   ""});
  }
}

void find_blocked_process_reads(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    if (host->facts.limits.process_vm_calls || host->ranks == 1 || !needs_mpi(situation)) continue;
    if (mca_setting(situation, *host, "btl_vader_single_copy_mechanism")) continue;
    out.push_back({"C6",
                   host->ranks > 1 ? Severity::warning : Severity::note,
                   {host->name},
                   "a process may not read its sibling's memory",
                   "Open MPI's ranks on one host copy large messages that way.",
                   "docker run --cap-add SYS_PTRACE …\n# or\nringrun --mca btl_vader_single_copy_mechanism none …",
                   ""});
  }
}

void find_low_memlock(const Situation& situation, Findings& out) {
  constexpr std::int64_t kEnough = 1 << 20;
  for (const HostView* host : rank_hosts(situation)) {
    const std::int64_t limit = host->facts.limits.memlock_bytes;
    if (limit < 0 || limit >= kEnough) continue;
    const auto& cards = host->facts.fabric.infiniband;
    const bool needed =
        std::any_of(cards.begin(), cards.end(), [](const InfinibandDevice& card) { return card.active; });
    out.push_back({"C7",
                   needed ? Severity::warning : Severity::note,
                   {host->name},
                   "a process may lock " + format_byte_size(limit) + "B of memory (ulimit -l)",
                   needed ? "InfiniBand locks all the memory that it sends from."
                          : "InfiniBand would need more; there is no active card here.",
                   host->facts.system.container_marks.empty()
                       ? "echo '* - memlock unlimited' | sudo tee /etc/security/limits.d/memlock.conf"
                       : "docker run --ulimit memlock=-1 …",
                   ""});
  }
}

void find_lost_driver(const Situation& situation, Findings& out) {
  for (const HostView* host : answering_hosts(situation)) {
    if (!contains_word(host->facts.software.nvml_error, "Unknown Error")) continue;
    out.push_back({"C8",
                   uses_nccl(situation) ? if_nccl_breaks(situation) : Severity::warning,
                   {host->name},
                   "NVML: " + host->facts.software.nvml_error,
                   "A reload of the system's control groups took the GPUs away from this container.",
                   "docker restart CONTAINER   # and for good: docker run --device /dev/nvidia0 …",
                   ""});
  }
}

void find_wrong_sshd(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    const HostFacts& facts = host->facts;
    if (host->local || facts.program.state != ProgramState::missing || !facts.system.container_marks.empty()) continue;
    const bool docker = std::any_of(facts.interfaces.begin(), facts.interfaces.end(), [](const Interface& interface) {
      return interface.name == "docker0" || interface.name.rfind("br-", 0) == 0;
    });
    if (!docker) continue;
    const std::string port = host->port ? std::to_string(*host->port) : "22";
    out.push_back(
        {"C9",
         Severity::warning,
         {host->name},
         situation.program + " is not there; port " + port + " is the sshd of a docker host, not a container's",
         "If the program is in a container there, ssh has to reach the container.",
         "# in the container (run with --network host):\n/usr/sbin/sshd -p 2222\n# in the hostfile:\n" + host->name +
             " port=2222\n# or, without an sshd in it:\n" + host->name + "   #: via=docker:CONTAINER",
         ""});
  }
}

void find_containers_of_one_host(const Situation& situation, Findings& out) {
  const std::vector<const HostView*> hosts = rank_hosts(situation);
  std::vector<std::string> kernels;
  for (const HostView* host : hosts) {
    const std::string& boot = host->facts.system.boot_id;
    if (boot.empty() || std::find(kernels.begin(), kernels.end(), boot) != kernels.end()) continue;
    std::vector<std::string> names;
    for (const HostView* other : hosts) {
      if (other->facts.system.boot_id == boot && (other == host || other->facts.hostname != host->facts.hostname)) {
        names.push_back(other->name);
      }
    }
    kernels.push_back(boot);
    if (names.size() < 2) continue;
    out.push_back({"C10", Severity::note, names,
                   "the same kernel answers (boot id " + boot + ") under other host names",
                   "NCCL takes them for separate machines and sends over the network what could go through memory.",
                   "# one container for all ranks, or one --hostname and --uts=host for all, or the same\n"
                   "ringrun -x NCCL_HOSTID=… …",
                   ""});
  }
}

}  // namespace

std::vector<CatalogueRow> container_rows() {
  const std::string group = "Container";
  const std::string host_network = "`docker run --network host …`, and an sshd on its own port inside";
  return {
      {"C1", group, "`Connect to 172.17.0.3<…> failed : Connection refused`; init times out",
       "the container sits on docker's bridge, whose addresses lead nowhere outside its host",
       "marks of a container, no interface but a veth with a bridge address, and peers cannot connect", host_network,
       "N#331, N#462", Coverage::detected,
       [](const Situation& situation, Findings& out) { find_bridge_containers(situation, "C1", out); }},
      {"C1b", group, "ssh works, then `Unable to connect to the peer`, or NCCL hangs",
       "ssh reaches this container through a published port, NCCL and MPI cannot",
       "as C1, and the named address is none of the container's", host_network, "", Coverage::detected,
       [](const Situation& situation, Findings& out) { find_bridge_containers(situation, "C1b", out); }},
      {"C2",
       group,
       "a static route to 172.17/16 does not help either",
       "docker drops what comes for unpublished ports",
       "as C1",
       host_network,
       "",
       Coverage::documented,
       {}},
      {"C3", group, "`failed to extend /dev/shm/nccl-…`, bus error", "/dev/shm is small (docker's default is 64 MB)",
       "the size of /dev/shm is under 256 MB", "`docker run --shm-size=1g …` or `--ipc=host`", "N#342, N#983",
       Coverage::detected, find_small_shared_memory},
      {"C4", group, "cuMem host allocation fails", "the container may not make NUMA calls", "get_mempolicy is tried",
       "`--cap-add SYS_NICE`, or `-x NCCL_CUMEM_HOST_ENABLE=0`", "", Coverage::detected,
       [](const Situation& situation, Findings& out) {
         if (uses_nccl(situation)) find_blocked_numa_calls(situation, "C4", out);
       }},
      {"C5", group, "`set_mempolicy: Operation not permitted`", "the container may not make NUMA calls",
       "get_mempolicy is tried", "`--cap-add SYS_NICE`", "", Coverage::detected,
       [](const Situation& situation, Findings& out) {
         if (!uses_nccl(situation)) find_blocked_numa_calls(situation, "C5", out);
       }},
      {"C6", group, "`Read -1, expected N, errno = 1`", "a process may not read its sibling's memory",
       "a process tries it with its sibling", "`--cap-add SYS_PTRACE`, or `--mca btl_vader_single_copy_mechanism none`",
       "O#4948", Coverage::detected, find_blocked_process_reads},
      {"C7", group, "`Call to ibv_reg_mr failed`", "little memory may be locked", "RLIMIT_MEMLOCK is under 1 MB",
       "`docker run --ulimit memlock=-1 …`", "", Coverage::detected, find_low_memlock},
      {"C8", group, "NVML says `Unknown Error` after a while", "the container lost its GPUs", "NVML's own words",
       "recreate or restart the container", "", Coverage::untested, find_lost_driver},
      {"C9", group, "`orted: No such file`, or no such program, though the image has it",
       "ssh reached the docker host instead of the container",
       "the program is missing on a host that has docker's bridge and is no container",
       "an sshd on its own port in the container, `port=` in the hostfile", "H#527", Coverage::detected,
       find_wrong_sshd},
      {"C10", group, "two containers on one host are slow", "to NCCL a host is its name and its boot id",
       "the same boot id under another host name", "one container, one host name, or NCCL_HOSTID", "NT#93, N#324",
       Coverage::detected, find_containers_of_one_host},
      {"C11", group, "`No such container`, `is not running`, `permission denied … docker`, `docker: command not found`",
       "the container that `via=docker:NAME` names cannot be entered", "the words of `docker exec` on that host",
       "start the container, mend its name, or let the user use docker there", "", Coverage::detected,
       find_closed_containers},
  };
}

}  // namespace ringrun
