#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lib/explain/catalogue.hpp"

namespace ringrun::test {

inline Interface made_interface(const std::string& name, InterfaceKind kind, const std::string& ip, int prefix = 24) {
  Interface interface;
  interface.name = name;
  interface.kind = kind;
  interface.up = true;
  interface.mtu = 1500;
  if (!ip.empty()) interface.ipv4 = {{ip, prefix}};
  return interface;
}

inline HostView made_host(const std::string& name, const std::string& card, const std::string& ip) {
  HostView host;
  host.name = name;
  host.origin = "hostfiles/ab:1";
  host.address = ip;
  host.ranks = 1;
  HostFacts& facts = host.facts;
  facts.hostname = name;
  facts.identity = "identity of " + name;
  facts.interfaces = {made_interface("lo", InterfaceKind::loopback, "127.0.0.1", 8),
                      made_interface(card, InterfaceKind::hardware, ip),
                      made_interface("docker0", InterfaceKind::bridge, "172.17.0.1", 16)};
  facts.interfaces[1].pci_bus_id = "0000:02:00.0";
  facts.system.kernel = "6.1.0-18-amd64";
  facts.system.boot_id = "boot of " + name;
  facts.system.systemd = true;
  facts.system.distribution = "Ubuntu 22.04";
  facts.system.clock_ms = 1'700'000'000'000;
  facts.limits.shm_bytes = std::int64_t{8} << 30;
  facts.limits.local_port_first = 32768;
  facts.limits.local_port_last = 60999;
  facts.software.glibc = "2.35";
  facts.software.open_mpi = "4.1.4";
  facts.software.open_mpi_path = "/usr/bin/orted";
  facts.software.nccl = "2.28.9";
  facts.software.nccl_path = "/usr/lib/x86_64-linux-gnu/libnccl.so.2";
  facts.software.driver = "580.95.05";
  facts.software.driver_cuda = 13000;
  Gpu gpu;
  gpu.bus_id = "0000:4e:00.0";
  gpu.uuid = "GPU-of-" + name;
  gpu.name = "H200";
  gpu.compute_mode = "default";
  gpu.pcie_width = gpu.pcie_width_max = 16;
  facts.gpus = {gpu};
  facts.configuration.hostname_address = ip;
  facts.program.state = ProgramState::executable;
  facts.program.hash = "f00dcafe0123456789";
  facts.program.mpi_library = "/lib/x86_64-linux-gnu/libmpi.so.40";
  facts.program.needs_glibc = "2.34";
  facts.cwd_exists = true;
  facts.free_port = 29400;
  return host;
}

inline Link made_link(int from, int to, const std::string& address, const std::string& source, Outcome outcome,
                      int milliseconds = 1) {
  Link link;
  link.from = from;
  link.to = to;
  link.address = address;
  link.source = source;
  link.attempts = {
      {41234, outcome, 0, milliseconds}, {40111, outcome, 0, milliseconds}, {39123, outcome, 0, milliseconds}};
  if (outcome == Outcome::reached) {
    link.seen_as = source;
    link.mtu_tried = link.mtu_passed = 1500;
  }
  return link;
}

/// Two healthy hosts: a, which launches, 192.168.1.5 on eth0, and b, 192.168.1.6 on enp3s0, with a docker0 on both.
/// The link from a to b is the first, that from b to a the second.
inline Situation healthy(Transport transport = Transport::mpi) {
  Situation situation;
  situation.hosts = {made_host("a", "eth0", "192.168.1.5"), made_host("b", "enp3s0", "192.168.1.6")};
  situation.hosts[0].local = true;
  situation.reach = {made_link(0, 1, "192.168.1.6", "192.168.1.5", Outcome::reached),
                     made_link(1, 0, "192.168.1.5", "192.168.1.6", Outcome::reached),
                     made_link(0, 1, "172.17.0.1", "172.17.0.1", Outcome::refused),
                     made_link(1, 0, "172.17.0.1", "172.17.0.1", Outcome::refused)};
  situation.network.hosts = {{{"eth0"}, "192.168.1.5", {"192.168.1.0/24"}},
                             {{"enp3s0"}, "192.168.1.6", {"192.168.1.0/24"}}};
  situation.transport = transport;
  situation.is_worker = true;
  situation.program = "./worker";
  situation.engine_version = "4.1.4";
  situation.built_for_cuda = 12040;
  situation.needs_nccl = "2.19.3";
  return situation;
}

/// What is found besides notes, or the notes of one row.
inline Findings faults(const Situation& situation) {
  Findings findings = find_faults(situation);
  findings.erase(std::remove_if(findings.begin(), findings.end(),
                                [](const Finding& finding) { return finding.severity == Severity::note; }),
                 findings.end());
  return findings;
}

/// The direction's attempts all end so; the called host then has no interface that its peers reach.
inline void cut(Situation& situation, int from, int to, Outcome outcome, int milliseconds = 2000) {
  for (Link& link : situation.reach) {
    if (link.from != from || link.to != to || link.address.rfind("192.168.1.", 0) != 0) continue;
    for (Attempt& attempt : link.attempts) {
      attempt.outcome = outcome;
      attempt.milliseconds = milliseconds;
    }
    link.seen_as.clear();
    link.mtu_tried = link.mtu_passed = 0;
  }
  situation.network.hosts[static_cast<std::size_t>(to)] = {};
}

/// Host b becomes a container on docker's bridge with the address 172.17.0.2, named as `named`: a cannot connect to
/// it, and sees it as the docker host.
inline void put_on_bridge(Situation& situation, const std::string& named) {
  HostView& b = situation.hosts[1];
  b.address = named;
  b.facts.system.container_marks = {"/.dockerenv"};
  b.facts.interfaces = {made_interface("lo", InterfaceKind::loopback, "127.0.0.1", 8),
                        made_interface("eth0", InterfaceKind::veth, "172.17.0.2", 16)};
  b.facts.interfaces[1].driver = "veth";
  situation.reach = {made_link(0, 1, "172.17.0.2", "192.168.1.5", Outcome::no_host, 3050),
                     made_link(1, 0, "192.168.1.5", "172.17.0.2", Outcome::reached)};
  situation.reach[1].seen_as = "192.168.1.6";
  situation.network.hosts[1] = {};
}

inline void make_wsl(HostView& host, const std::string& mode) {
  host.facts.system.wsl = true;
  host.facts.system.wsl_networking = mode;
  host.facts.system.kernel = "5.15.153.1-microsoft-standard-WSL2";
  host.facts.system.wsl_gpu_device = host.facts.system.wsl_cuda_library = true;
}

inline InfinibandDevice made_card() {
  InfinibandDevice card;
  card.name = "mlx5_0";
  card.active = true;
  card.routable_gid = true;
  card.rate = 400;
  return card;
}

}  // namespace ringrun::test
