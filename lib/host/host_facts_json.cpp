#include <nlohmann/json.hpp>

#include "lib/error.hpp"
#include "lib/host/host_facts.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {

using Json = nlohmann::json;

// A core travels as the list of its processors: "0,64".
static void to_json(Json& json, const Core& core) { json = format_cpu_list(core.cpus); }
static void from_json(const Json& json, Core& core) { core.cpus = parse_cpu_list(json.get<std::string>()); }

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NumaNode, index, package, cores, memory)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CardPlace, bus_id, numa_nodes, bridges)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MachineGpu, place, name, uuid)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NetworkCard, name, hca, place, link, speed, usb)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Machine, numa_nodes, numa_distances, gpus, cards)
static void to_json(Json& json, const SharedValue<Machine>& machine) { json = *machine; }
static void from_json(const Json& json, SharedValue<Machine>& machine) { machine = json.get<Machine>(); }
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MigDevice, uuid, gpu_instance, compute_instance)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Gpu, index, bus_id, uuid, name, compute_mode, mig, pcie_generation,
                                   pcie_generation_max, pcie_width, pcie_width_max, throttle, mig_devices)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InterfaceAddress, ip, prefix)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Interface, name, kind, up, point_to_point, master, driver, pci_bus_id, mtu, speed,
                                   ipv4, ipv6)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SystemFacts, kernel, boot_id, wsl, wsl_networking, wsl_gpu_device, wsl_cuda_library,
                                   network_manager, systemd, container_marks, distribution, clock_ms, root,
                                   architecture)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LimitFacts, shm_bytes, shm_free_bytes, memlock_bytes, numa_calls, process_vm_calls,
                                   local_port_first, local_port_last)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SoftwareFacts, glibc, open_mpi, open_mpi_path, nccl, nccl_path, nccl_why_not,
                                   nccl_plugin, driver, driver_cuda, nvml_error, ucx, glibcxx)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InfinibandDevice, name, active, ethernet, routable_gid, rate, pci_bus_id, port)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FabricFacts, infiniband, peermem)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ConfigurationFacts, environment, nccl_files, mca_files, hostname_address)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgramQuestion, program, cwd, environment)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgramFacts, state, hash, missing_libraries, mpi_library, needs_glibc,
                                   needs_glibcxx, machine)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostFacts, hostname, identity, ringrun_version, ringrun_build, machine, cpuset_cpus,
                                   cpuset_cores, gpus, more_gpus, gpu_note, interfaces, system, limits, software,
                                   fabric, configuration, program, cwd_exists, free_port, master_port_free,
                                   master_port_holder, more_programs)

namespace {

constexpr int kSchema = 6;

/// Names come from drivers and kernels: a byte that is not UTF-8 must not end the job.
std::string one_line(Json json) {
  json["schema"] = kSchema;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse(std::string_view text, const char* what) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw UserError(std::string("the ") + what + " is not a JSON object");
  const int schema = json.value("schema", 0);
  if (schema != kSchema) {
    throw UserError(std::string("the ") + what + " has schema version " + std::to_string(schema) +
                        ", this ringrun reads " + std::to_string(kSchema),
                    "put the same version of ringrun on every host");
  }
  return json;
}

}  // namespace

std::string to_json(const HostFacts& facts) { return one_line(Json(facts)); }

HostFacts host_facts_from_json(std::string_view text) try {
  return parse(text, "host's answer").get<HostFacts>();
} catch (const Json::exception& error) {
  throw UserError(std::string("the host's answer is not complete: ") + error.what(),
                  "put the same version of ringrun on every host");
}

std::string to_json(const HostQuestion& question) {
  Json json = {{"program", question.program},
               {"cwd", question.cwd},
               {"environment", question.environment},
               {"master_port", question.master_port},
               {"first_port", question.first_port},
               {"last_port", question.last_port},
               {"thorough", question.thorough},
               {"prefix", question.prefix},
               {"more_programs", question.more_programs}};
  if (question.visible_devices) json["visible_devices"] = *question.visible_devices;
  return one_line(std::move(json));
}

HostQuestion host_question_from_json(std::string_view text) try {
  const Json json = parse(text, "launcher's question");
  HostQuestion question;
  question.program = json.at("program").get<std::string>();
  question.cwd = json.at("cwd").get<std::string>();
  if (json.contains("visible_devices")) question.visible_devices = json.at("visible_devices").get<std::string>();
  json.at("environment").get_to(question.environment);
  json.at("master_port").get_to(question.master_port);
  json.at("first_port").get_to(question.first_port);
  json.at("last_port").get_to(question.last_port);
  json.at("thorough").get_to(question.thorough);
  json.at("prefix").get_to(question.prefix);
  json.at("more_programs").get_to(question.more_programs);
  return question;
} catch (const Json::exception& error) {
  throw UserError(std::string("the launcher's question is not complete: ") + error.what(),
                  "put the same version of ringrun on every host");
}

}  // namespace ringrun
