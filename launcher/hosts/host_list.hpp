#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringrun {

/// Which GPUs CUDA shows a program, and in which order.
inline constexpr const char* kVisibleDevices = "CUDA_VISIBLE_DEVICES";

/// A container of the docker engine on a host, in which the host's ranks run: `#: via=docker:NAME`. It is entered by
/// `docker exec`, behind the remote shell.
struct HostContainer {
  std::string name;
  /// The docker engine is this host's: no remote shell is needed.
  bool here = false;
  bool operator==(const HostContainer&) const = default;
};

/// What only ringrun reads of a host: `#: nic=enp3s0 gpus=0,2 via=docker:NAME env.NAME=VALUE`.
struct HostAttributes {
  std::optional<std::string> nic;
  /// Numbers of GPUs in the order of their PCI bus ids.
  std::optional<std::vector<int>> gpus;
  std::optional<HostContainer> container;
  std::map<std::string, std::string> environment;
  bool operator==(const HostAttributes&) const = default;
};

/// A host as the user named it.
struct Host {
  std::string name;
  std::optional<std::string> user;
  std::optional<int> port;
  /// Unset: the number of its GPUs; without GPUs `slots_without_gpus`, or its cores where `cores_unless_said`, or one.
  std::optional<int> slots;
  std::optional<int> max_slots;
  /// Slots unless said, where it has GPUs, in place of their number.
  std::optional<int> slots_with_gpus;
  /// Slots unless said, where it has none.
  std::optional<int> slots_without_gpus;
  bool cores_unless_said = false;
  HostAttributes attributes;
  /// What was read and passed over, as sentences that begin with the file and line.
  std::vector<std::string> warnings;
  /// Of a hostfile: the numbers of the lines that name it.
  std::vector<int> lines;
  /// "FILE:LINE" or "-H", for messages.
  std::string origin;
};

using HostList = std::vector<Host>;

}  // namespace ringrun
