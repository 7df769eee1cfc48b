#include "lib/host/host_facts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "lib/host/free_port.hpp"
#include "lib/host/host_name.hpp"
#include "lib/host/interfaces.hpp"
#include "lib/topology/hwloc_reader.hpp"
#include "lib/version.hpp"

namespace ringrun {
namespace {

std::string inode(const char* path) {
  struct stat status {};
  return stat(path, &status) == 0 ? std::to_string(status.st_ino) : "?";
}

std::string read_identity(const std::string& hostname) {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot + ":" + inode("/proc/self/ns/net") + ":" + hostname;
}

bool is_folder_to_enter(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

ProgramState state_of(const std::string& program) {
  if (program.empty()) return ProgramState::not_asked;
  struct stat status {};
  if (stat(program.c_str(), &status) != 0) return ProgramState::missing;
  const bool executable = S_ISREG(status.st_mode) && access(program.c_str(), X_OK) == 0;
  return executable ? ProgramState::executable : ProgramState::not_executable;
}

std::optional<std::string> own_visible_devices() {
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

HostFacts read_host_facts(const HostQuestion& question) {
  HostFacts facts;
  facts.hostname = host_name();
  facts.identity = read_identity(facts.hostname);
  facts.ringrun_version = kVersion;
  facts.machine = read_machine();
  GpuList all = read_nvml_gpus();
  facts.gpus = visible_gpus(all.gpus, question.visible_devices ? question.visible_devices : own_visible_devices());
  facts.gpu_note = all.note;
  if (facts.gpus.empty() && !all.gpus.empty()) facts.gpu_note = "CUDA_VISIBLE_DEVICES hides every GPU";
  facts.interfaces = read_interfaces();
  facts.program = state_of(question.program);
  facts.cwd_exists = is_folder_to_enter(question.cwd);
  facts.free_port = find_free_port(29500);
  return facts;
}

}  // namespace ringrun
