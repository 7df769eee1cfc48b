#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/gpu/gpu.hpp"
#include "lib/net/interface.hpp"
#include "lib/shared_value.hpp"
#include "lib/topology/machine.hpp"

namespace ringrun {

enum class ProgramState { not_asked, executable, not_executable, missing };

/// A further program of the job, with the folder and the environment of its own ranks.
struct ProgramQuestion {
  std::string program;
  std::string cwd;
  std::map<std::string, std::string> environment;
  bool operator==(const ProgramQuestion&) const = default;
};

/// What is asked of a host. An empty program: none is asked for. `visible_devices` is the CUDA_VISIBLE_DEVICES that
/// the ranks will find; unset: the host's own. `environment` is what the job exports (LD_LIBRARY_PATH, …): the
/// libraries are looked for with it. `master_port`: a port to try to bind, 0 for none. `ports`: the range in which the
/// free port shall lie, 0 to 0 for the host's choice.
struct HostQuestion {
  std::string program;
  std::string cwd;
  std::optional<std::string> visible_devices;
  std::map<std::string, std::string> environment;
  /// Where Open MPI stands on every host (--prefix), "" where it is the one on the PATH: its daemon and its libraries
  /// are looked for there first.
  std::string prefix;
  int master_port = 0;
  int first_port = 0;
  int last_port = 0;
  /// Ask also what takes longer than a launch may wait: NCCL's version by loading it, the network plugin, NVML's
  /// throttle reasons.
  bool thorough = false;
  std::vector<ProgramQuestion> more_programs = {};
};

/// The kernel, and what stands between it and us.
struct SystemFacts {
  std::string kernel;   ///< /proc/sys/kernel/osrelease
  std::string boot_id;  ///< the same for every container of a host
  bool wsl = false;
  std::string wsl_networking;     ///< nat, mirrored, bridged, virtioproxy, …; "" where unknown or not WSL
  bool wsl_gpu_device = false;    ///< /dev/dxg
  bool wsl_cuda_library = false;  ///< /usr/lib/wsl/lib/libcuda.so.1
  bool network_manager = false;   ///< runs here
  bool systemd = false;           ///< is process 1: a WSL distribution without it stops when its last window closes
  /// Marks of a container, each as seen: "/.dockerenv", "/run/.containerenv", "cgroup docker/…". Empty: none.
  std::vector<std::string> container_marks;
  std::string distribution;   ///< "Ubuntu 22.04", from /etc/os-release
  std::int64_t clock_ms = 0;  ///< since 1970, when the facts were read
  bool root = false;
  std::string architecture = {};  ///< "x86_64", as uname -m says it
  bool operator==(const SystemFacts&) const = default;
};

struct LimitFacts {
  std::int64_t shm_bytes = -1;  ///< size of /dev/shm; -1 where unknown
  std::int64_t shm_free_bytes = -1;
  std::int64_t memlock_bytes = -1;  ///< RLIMIT_MEMLOCK, -1 for unlimited
  bool numa_calls = true;           ///< get_mempolicy and set_mempolicy are allowed
  bool process_vm_calls = true;     ///< a process may read its sibling (CMA): ptrace scope, capabilities
  int local_port_first = 0;         ///< ip_local_port_range
  int local_port_last = 0;
  bool operator==(const LimitFacts&) const = default;
};

/// Installed software, each "" where it was not found.
struct SoftwareFacts {
  std::string glibc;
  std::string open_mpi;       ///< "4.1.4", from orted or prted beside mpirun on the PATH of this shell
  std::string open_mpi_path;  ///< of its daemon
  std::string nccl;           ///< "2.28.9"
  std::string nccl_path;
  std::string nccl_why_not;  ///< the loader's own words
  std::string nccl_plugin;   ///< path of libnccl-net.so where the loader finds one
  std::string driver;        ///< "580.95.05"
  int driver_cuda = 0;       ///< newest CUDA version that the driver knows, 13000
  std::string nvml_error;    ///< NVML's own words where it is there and fails
  bool ucx = false;          ///< Open MPI has a UCX component there
  std::string glibcxx = {};  ///< newest version in the libstdc++ that the ranks will find, "3.4.30"
  bool operator==(const SoftwareFacts&) const = default;
};

struct InfinibandDevice {
  std::string name;  ///< mlx5_0
  bool active = false;
  bool ethernet = false;      ///< RoCE
  bool routable_gid = false;  ///< some GID of type RoCE v2, or link layer InfiniBand
  int rate = 0;               ///< Gb/s
  std::string pci_bus_id;
  int port = 1;  ///< the first that is active, else 1
  bool operator==(const InfinibandDevice&) const = default;
};

struct FabricFacts {
  std::vector<InfinibandDevice> infiniband;
  bool peermem = false;  ///< nvidia_peermem (or nv_peer_mem) is loaded
  bool operator==(const FabricFacts&) const = default;
};

/// Files and variables on that host that decide how NCCL, Open MPI and UCX behave. Values as written.
struct ConfigurationFacts {
  /// NCCL_*, UCX_*, GLOO_*, OMPI_MCA_*, PRTE_MCA_*, PMIX_MCA_* of the shell that the remote shell gives.
  std::map<std::string, std::string> environment;
  /// "/etc/nccl.conf" or "~/.nccl.conf" → its settings.
  std::map<std::string, std::map<std::string, std::string>> nccl_files;
  /// MCA parameter files → their settings.
  std::map<std::string, std::map<std::string, std::string>> mca_files;
  std::string hostname_address;  ///< what the host's own name resolves to there, "" where it does not
  bool operator==(const ConfigurationFacts&) const = default;
};

struct ProgramFacts {
  ProgramState state = ProgramState::not_asked;
  std::string hash;                            ///< of its content, "" where it is missing
  std::vector<std::string> missing_libraries;  ///< that the loader does not find
  std::string mpi_library;                     ///< path of the libmpi that it is linked with, "" for none
  std::string needs_glibc;                     ///< newest GLIBC version that it asks for, "2.38"
  std::string needs_glibcxx = {};              ///< newest GLIBCXX version, "3.4.32"
  std::string machine = {};                    ///< that it is built for, as uname -m says it; "" where unknown
  bool operator==(const ProgramFacts&) const = default;
};

/// What one host says of itself.
struct HostFacts {
  std::string hostname;
  /// Equal for two answers exactly where they come from the same hostname and network namespace of one kernel.
  std::string identity;
  std::string ringrun_version;
  std::string ringrun_build;  ///< the build id of that host's ringrun
  SharedValue<Machine> machine;
  /// Processors of its cpuset, and the cores that they are threads of, whatever the affinity mask: Open MPI (4.1.4,
  /// 5.0.7) counts slots by them. 0: not known.
  int cpuset_cpus = 0;
  int cpuset_cores = 0;
  /// Those that CUDA programs will see there, in their order.
  std::vector<Gpu> gpus;
  /// Those that each program behind the first will see, where these are not the same for all.
  std::vector<std::vector<Gpu>> more_gpus = {};
  std::string gpu_note;
  std::vector<Interface> interfaces;
  SystemFacts system;
  LimitFacts limits;
  SoftwareFacts software;
  FabricFacts fabric;
  ConfigurationFacts configuration;
  ProgramFacts program;
  bool cwd_exists = false;
  /// A TCP port that nothing listened on: in the asked range, else outside the range that the kernel gives to outgoing
  /// connections. 0 where the range has none.
  int free_port = 0;
  /// `master_port` of the question could be bound. The holder is "pid 4711 (python3)" where it can be seen.
  bool master_port_free = true;
  std::string master_port_holder;
  /// In the order of the question's.
  std::vector<ProgramFacts> more_programs = {};
  bool operator==(const HostFacts&) const = default;
};

/// Asks this host. Throws SystemError.
HostFacts read_host_facts(const HostQuestion& question);

/// Puts into the facts those of the GPUs of a host that its ranks will see, by the CUDA_VISIBLE_DEVICES of each program
/// (at least one; unset: all), and what a person should know of these. Pure.
void take_visible_gpus(const std::vector<Gpu>& all, const std::vector<std::optional<std::string>>& devices,
                       HostFacts& facts);

/// One line of JSON, with a schema version.
std::string to_json(const HostFacts& facts);

/// Throws UserError where the text is no facts, or facts of another schema version.
HostFacts host_facts_from_json(std::string_view json);

std::string to_json(const HostQuestion& question);
HostQuestion host_question_from_json(std::string_view json);

}  // namespace ringrun
