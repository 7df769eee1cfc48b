#include "lib/host/system_facts.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <sstream>
#include <string>

#include "lib/host/brief_command.hpp"
#include "lib/host/host_file.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

bool is_wsl(std::string kernel) {
  std::transform(kernel.begin(), kernel.end(), kernel.begin(), [](unsigned char c) { return std::tolower(c); });
  return kernel.find("microsoft") != std::string::npos || kernel.find("wsl") != std::string::npos;
}

std::string read_wsl_networking(const fs::path& root) {
  for (const char* program : {"/usr/bin/wslinfo", "/bin/wslinfo"}) {
    const fs::path file = host_path(root, program);
    if (access(file.c_str(), X_OK) != 0) continue;
    const std::string said = output_of({file.string(), "--networking-mode"}, std::chrono::seconds(1));
    const std::string_view mode = trimmed(said);
    if (!mode.empty()) return std::string(mode);
  }
  // Older WSL has no wslinfo; this interface exists in mirrored mode alone.
  return exists(root, "/sys/class/net/loopback0") ? "mirrored" : "";
}

bool runs_network_manager(const fs::path& root) {
  // Its folder outlives it, and a walk over all processes takes milliseconds: the one saves the other.
  if (!exists(root, "/run/NetworkManager")) return false;
  for (const fs::path& process : entries(host_path(root, "/proc"))) {
    const std::string number = process.filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    if (read_word(process / "comm") == "NetworkManager") return true;
  }
  return false;
}

/// "/docker/0123456789ab…": the whole id says nothing more.
std::string shortened(const std::string& path) {
  constexpr std::size_t kShown = 48;
  return path.size() <= kShown ? path : path.substr(0, kShown) + "…";
}

/// docker mounts three files of its own into each container. A plain virtual machine may have /.dockerenv too, left by
/// whoever made its image in a container.
bool has_dockers_files(const fs::path& root) {
  for (const std::string& line : read_lines(host_path(root, "/proc/self/mountinfo"))) {
    std::istringstream words(line);
    std::string id, parent, device, source, target;
    words >> id >> parent >> device >> source >> target;
    const bool named = target == "/etc/hostname" || target == "/etc/hosts" || target == "/etc/resolv.conf";
    if (named && source.find("/containers/") != std::string::npos) return true;
  }
  return false;
}

std::vector<std::string> read_container_marks(const fs::path& root) {
  std::vector<std::string> marks;
  if (exists(root, "/.dockerenv") && has_dockers_files(root)) marks.emplace_back("/.dockerenv");
  for (const char* file : {"/run/.containerenv", "/.singularity.d", "/var/run/secrets/kubernetes.io"}) {
    if (exists(root, file)) marks.emplace_back(file);
  }
  if (exists(root, "/run/systemd/container")) {
    marks.push_back("/run/systemd/container " + read_word(host_path(root, "/run/systemd/container")));
  }
  for (const std::string& line : read_lines(host_path(root, "/proc/self/cgroup"))) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string::npos) continue;
    const std::string path = line.substr(colon + 1);
    // docker.service is the engine's own unit on a host; its containers are docker/ID or docker-ID.scope.
    constexpr std::string_view kNames[] = {"/docker/", "/docker-", "kubepods",   "libpod",
                                           "/lxc/",    "crio-",    "containerd-"};
    const bool nested = std::any_of(std::begin(kNames), std::end(kNames),
                                    [&](std::string_view name) { return path.find(name) != std::string::npos; });
    if (!nested) continue;
    marks.push_back("cgroup " + shortened(path.substr(1)));
    break;
  }
  return marks;
}

std::string read_distribution(const fs::path& root) {
  fs::path file = host_path(root, "/etc/os-release");
  if (read_text(file).empty()) file = host_path(root, "/usr/lib/os-release");
  std::string name;
  std::string version;
  for (const std::string& line : read_lines(file)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    std::string value(trimmed(std::string_view(line).substr(equals + 1)));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front()) {
      value = value.substr(1, value.size() - 2);
    }
    const std::string_view key = std::string_view(line).substr(0, equals);
    if (key == "NAME") name = value;
    if (key == "VERSION_ID") version = value;
  }
  return version.empty() ? name : name + " " + version;
}

}  // namespace

SystemFacts read_system_facts(const fs::path& root) {
  SystemFacts facts;
  facts.kernel = read_word(host_path(root, "/proc/sys/kernel/osrelease"));
  facts.boot_id = read_word(host_path(root, "/proc/sys/kernel/random/boot_id"));
  facts.wsl_gpu_device = exists(root, "/dev/dxg");
  facts.wsl_cuda_library = exists(root, "/usr/lib/wsl/lib/libcuda.so.1");
  facts.wsl = is_wsl(facts.kernel);
  if (facts.wsl) facts.wsl_networking = read_wsl_networking(root);
  facts.network_manager = runs_network_manager(root);
  facts.systemd = read_word(host_path(root, "/proc/1/comm")) == "systemd";
  facts.container_marks = read_container_marks(root);
  facts.distribution = read_distribution(root);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  facts.clock_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  facts.root = geteuid() == 0;
  utsname system{};
  if (uname(&system) == 0) facts.architecture = system.machine;
  return facts;
}

}  // namespace ringrun
