#include <nlohmann/json.hpp>

#include "lib/error.hpp"
#include "lib/host/host_facts.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 1;

Json machine_to_json(const Machine& machine) {
  Json nodes = Json::array();
  for (const NumaNode& node : machine.numa_nodes) {
    Json cores = Json::array();
    for (const Core& core : node.cores) cores.push_back(format_cpu_list(core.cpus));
    nodes.push_back({{"index", node.index}, {"cores", cores}});
  }
  Json devices = Json::array();
  for (const PciDevice& device : machine.devices) {
    devices.push_back({{"bus_id", device.bus_id}, {"network", device.network}, {"numa", device.numa_nodes}});
  }
  return {{"numa_nodes", nodes}, {"devices", devices}};
}

Machine machine_from_json(const Json& json) {
  Machine machine;
  for (const Json& item : json.at("numa_nodes")) {
    NumaNode node{item.at("index").get<int>(), {}};
    for (const Json& core : item.at("cores")) node.cores.push_back({parse_cpu_list(core.get<std::string>())});
    machine.numa_nodes.push_back(std::move(node));
  }
  for (const Json& item : json.at("devices")) {
    machine.devices.push_back({item.at("bus_id").get<std::string>(), item.at("network").get<bool>(),
                               item.at("numa").get<std::vector<int>>()});
  }
  return machine;
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

std::string to_json(const HostFacts& facts) {
  Json gpus = Json::array();
  for (const Gpu& gpu : facts.gpus) {
    gpus.push_back({{"index", gpu.index}, {"bus_id", gpu.bus_id}, {"uuid", gpu.uuid}, {"name", gpu.name}});
  }
  Json interfaces = Json::array();
  for (const Interface& item : facts.interfaces) {
    interfaces.push_back({{"name", item.name}, {"ipv4", item.ipv4}, {"up", item.up}, {"loopback", item.loopback}});
  }
  const Json json = {{"schema", kSchema},
                     {"ringrun", facts.ringrun_version},
                     {"hostname", facts.hostname},
                     {"identity", facts.identity},
                     {"machine", machine_to_json(facts.machine)},
                     {"gpus", gpus},
                     {"gpu_note", facts.gpu_note},
                     {"interfaces", interfaces},
                     {"program", static_cast<int>(facts.program)},
                     {"cwd_exists", facts.cwd_exists},
                     {"free_port", facts.free_port}};
  // Names come from drivers and kernels: a byte that is not UTF-8 must not end the job.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HostFacts host_facts_from_json(std::string_view text) try {
  const Json json = parse(text, "host's answer");
  HostFacts facts;
  facts.ringrun_version = json.at("ringrun").get<std::string>();
  facts.hostname = json.at("hostname").get<std::string>();
  facts.identity = json.at("identity").get<std::string>();
  facts.machine = machine_from_json(json.at("machine"));
  for (const Json& gpu : json.at("gpus")) {
    facts.gpus.push_back({gpu.at("index").get<int>(), gpu.at("bus_id").get<std::string>(),
                          gpu.at("uuid").get<std::string>(), gpu.at("name").get<std::string>()});
  }
  facts.gpu_note = json.at("gpu_note").get<std::string>();
  for (const Json& item : json.at("interfaces")) {
    facts.interfaces.push_back({item.at("name").get<std::string>(), item.at("ipv4").get<std::string>(),
                                item.at("up").get<bool>(), item.at("loopback").get<bool>()});
  }
  facts.program = static_cast<ProgramState>(json.at("program").get<int>());
  facts.cwd_exists = json.at("cwd_exists").get<bool>();
  facts.free_port = json.at("free_port").get<int>();
  return facts;
} catch (const Json::exception& error) {
  throw UserError(std::string("the host's answer is not complete: ") + error.what(),
                  "put the same version of ringrun on every host");
}

std::string to_json(const HostQuestion& question) {
  Json json = {{"schema", kSchema}, {"program", question.program}, {"cwd", question.cwd}};
  if (question.visible_devices) json["visible_devices"] = *question.visible_devices;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HostQuestion host_question_from_json(std::string_view text) try {
  const Json json = parse(text, "launcher's question");
  HostQuestion question{json.at("program").get<std::string>(), json.at("cwd").get<std::string>(), std::nullopt};
  if (json.contains("visible_devices")) question.visible_devices = json.at("visible_devices").get<std::string>();
  return question;
} catch (const Json::exception& error) {
  throw UserError(std::string("the launcher's question is not complete: ") + error.what(),
                  "put the same version of ringrun on every host");
}

}  // namespace ringrun
