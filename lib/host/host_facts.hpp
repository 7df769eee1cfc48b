#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/gpu/gpu.hpp"
#include "lib/topology/machine.hpp"

namespace ringrun {

/// A network interface with one of its IPv4 addresses, "192.168.1.5".
struct Interface {
  std::string name;
  std::string ipv4;
  bool up = false;
  bool loopback = false;
};

enum class ProgramState { not_asked, executable, not_executable, missing };

/// What is asked of a host. An empty program: none is asked for. `visible_devices` is the CUDA_VISIBLE_DEVICES that
/// the ranks will find; unset: the host's own.
struct HostQuestion {
  std::string program;
  std::string cwd;
  std::optional<std::string> visible_devices;
};

/// What one host says of itself.
struct HostFacts {
  std::string hostname;
  /// Equal for two answers exactly where they come from the same hostname and network namespace of one kernel.
  std::string identity;
  std::string ringrun_version;
  Machine machine;
  /// Those that CUDA programs will see there, in their order.
  std::vector<Gpu> gpus;
  std::string gpu_note;
  std::vector<Interface> interfaces;
  ProgramState program = ProgramState::not_asked;
  bool cwd_exists = false;
  /// A TCP port that nothing listened on, outside the range that the kernel gives to outgoing connections.
  int free_port = 0;
};

/// Asks this host. Throws SystemError.
HostFacts read_host_facts(const HostQuestion& question);

/// One line of JSON, with a schema version.
std::string to_json(const HostFacts& facts);

/// Throws UserError where the text is no facts, or facts of another schema version.
HostFacts host_facts_from_json(std::string_view json);

std::string to_json(const HostQuestion& question);
HostQuestion host_question_from_json(std::string_view json);

}  // namespace ringrun
