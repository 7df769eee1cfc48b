#include "lib/host/host_facts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <random>

#include "lib/host/build_id.hpp"
#include "lib/host/card_links.hpp"
#include "lib/host/configuration_facts.hpp"
#include "lib/host/cpuset_facts.hpp"
#include "lib/host/fabric_facts.hpp"
#include "lib/host/host_file.hpp"
#include "lib/host/host_name.hpp"
#include "lib/host/limit_facts.hpp"
#include "lib/host/port_facts.hpp"
#include "lib/host/program_facts.hpp"
#include "lib/host/software_facts.hpp"
#include "lib/host/system_facts.hpp"
#include "lib/net/free_port.hpp"
#include "lib/topology/core_siblings.hpp"
#include "lib/topology/hwloc_reader.hpp"
#include "lib/version.hpp"

namespace ringrun {
namespace {

std::string inode(const char* path) {
  struct stat status {};
  return stat(path, &status) == 0 ? std::to_string(status.st_ino) : "?";
}

bool is_folder_to_enter(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> own_visible_devices() {
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void take_gpus(const HostQuestion& question, GpuList&& all, HostFacts& facts) {
  const std::optional<std::string> own = own_visible_devices();
  std::vector<std::optional<std::string>> devices{question.visible_devices ? question.visible_devices : own};
  for (const ProgramQuestion& program : question.more_programs) {
    const auto said = program.environment.find("CUDA_VISIBLE_DEVICES");
    devices.push_back(said == program.environment.end() ? own : std::optional(said->second));
  }
  facts.gpu_note = all.note;
  take_visible_gpus(all.gpus, devices, facts);
  facts.software.driver = all.driver;
  facts.software.driver_cuda = all.driver_cuda;
  facts.software.nvml_error = all.error;
}

void read_ports(const HostQuestion& question, HostFacts& facts) {
  // Jobs that start in the same moment must not all get the same one.
  const int first = 20000 + static_cast<int>(std::random_device{}() % 10000);
  facts.free_port =
      question.first_port == 0 ? find_free_port(first) : free_port_in_range(question.first_port, question.last_port);
  if (question.master_port == 0) return;
  facts.master_port_free = can_serve(question.master_port);
  if (!facts.master_port_free) facts.master_port_holder = port_holder(question.master_port);
}

ConfigurationFacts read_configuration(const Environment& environment, const std::string& hostname, bool thorough) {
  ConfigurationFacts facts = read_configuration_facts(environment, hostname);
  // A name server that is asked must not hold up a launch; --doctor can wait for it.
  const auto deadline = std::chrono::milliseconds(thorough ? 2000 : 40);
  if (facts.hostname_address.empty()) facts.hostname_address = resolved_address(hostname, deadline);
  return facts;
}

/// The first program and the others.
std::vector<ProgramFacts> read_programs(const HostQuestion& question) {
  std::vector<ProgramFacts> programs{read_program_facts(question)};
  for (const ProgramQuestion& more : question.more_programs) {
    HostQuestion about = question;
    about.program = more.program;
    about.cwd = more.cwd;
    about.environment = more.environment;
    programs.push_back(read_program_facts(about));
  }
  return programs;
}

template <typename Read>
auto in_parallel(Read read) {
  return std::async(std::launch::async, read);
}

}  // namespace

HostFacts read_host_facts(const HostQuestion& question) {
  HostFacts facts;
  Environment environment = process_environment();
  if (!question.prefix.empty()) environment["PATH"] = question.prefix + "/bin:" + environment["PATH"];
  facts.hostname = host_name();
  // A process is forked here: cheapest while there are no threads that write to the memory it shares.
  facts.limits = read_limit_facts("/", question.thorough);
  // These wait, for a driver, for a child or for the disk; hwloc and all the rest take their time meanwhile.
  auto gpus = in_parallel([&] { return read_nvml_gpus(question.thorough); });
  auto software = in_parallel([&] { return read_software_facts(question, environment); });
  auto configuration = in_parallel([&] { return read_configuration(environment, facts.hostname, question.thorough); });
  auto programs = in_parallel([&] { return read_programs(question); });
  Machine machine = read_machine();
  const std::vector<int> cpuset = cpuset_cpus();
  facts.cpuset_cpus = static_cast<int>(cpuset.size());
  facts.cpuset_cores = core_count_of(cpuset);
  facts.interfaces = read_interfaces();
  facts.system = read_system_facts();
  facts.fabric = read_fabric_facts();
  take_links(facts.interfaces, facts.fabric, machine);
  facts.machine = std::move(machine);
  facts.identity = facts.system.boot_id + ":" + inode("/proc/self/ns/net") + ":" + facts.hostname;
  facts.ringrun_version = kVersion;
  facts.ringrun_build = own_build_id();
  facts.cwd_exists = is_folder_to_enter(question.cwd);
  read_ports(question, facts);
  facts.software = software.get();
  facts.configuration = configuration.get();
  facts.more_programs = programs.get();
  facts.program = facts.more_programs.front();
  facts.more_programs.erase(facts.more_programs.begin());
  take_gpus(question, gpus.get(), facts);
  return facts;
}

}  // namespace ringrun
