#pragma once

#include <string>
#include <vector>

#include "lib/gpu/gpu_links.hpp"
#include "worker/ceiling/path.hpp"
#include "worker/ceiling/port.hpp"

namespace ringrun::worker {

/// What was seen of a host while data went between the hosts.
struct HostPorts {
  std::string host;
  std::vector<Port> ports;  ///< that carried it; none: no port's counter shows it
  bool operator==(const HostPorts&) const = default;
};

std::string to_text(const HostPorts& ports);
HostPorts host_ports_from(const std::string& text);

/// The stage between hosts; `host_of_rank` are indices into `hosts`. Where a rate is not known, a remark says why there
/// is none.
void add_hosts(Path& path, const std::vector<HostPorts>& hosts, const std::vector<int>& host_of_rank,
               CollectiveKind kind);

/// A rank's GPU, and how it is joined.
struct RankGpu {
  std::string name;  ///< "GPU 0 of a"
  GpuLinks links;
};

std::string to_text(const std::vector<RankGpu>& gpus);
std::vector<RankGpu> rank_gpus_from(const std::string& text);

/// The stage between the GPUs of one host. `transports` is what NCCL says that it joined them by ("P2P/CUMEM",
/// "SHM/direct", "NET/Socket"). A remark says why where there is none.
void add_gpus(Path& path, const std::vector<RankGpu>& gpus, const std::vector<std::string>& transports,
              CollectiveKind kind);

}  // namespace ringrun::worker
