#include <nlohmann/json.hpp>

#include "lib/error.hpp"
#include "lib/placement/class_map.hpp"
#include "lib/placement/job_plan.hpp"

namespace ringrun {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 5;

Json output_json(const OutputStyle& output) {
  return {{"tag", output.tag}, {"timestamp", output.timestamp}, {"merge", output.merge}, {"files", output.files}};
}

OutputStyle output_style(const Json& json) {
  return {json.at("tag").get<bool>(), json.at("timestamp").get<bool>(), json.at("merge").get<bool>(),
          json.at("files").get<std::string>()};
}

/// What few rows say stands last and is left off.
Json row_json(const PlanRow& row) {
  Json json = {row.gpu, row.cpus, row.memory};
  if (!row.visible_devices.empty()) json.push_back(row.visible_devices);
  return json;
}

PlanRow plan_row(const Json& json) {
  PlanRow row{json.at(0).get<int>(), json.at(1).get<std::string>(), json.at(2).get<std::string>()};
  if (json.size() > 3) row.visible_devices = json.at(3).get<std::string>();
  return row;
}

/// What every class says, so that it stands once.
std::map<std::string, std::string> common_environment(const std::vector<HostClass>& classes) {
  if (classes.empty()) return {};
  std::map<std::string, std::string> common = classes[0].environment;
  for (const HostClass& item : classes) {
    std::erase_if(common, [&](const auto& variable) {
      const auto found = item.environment.find(variable.first);
      return found == item.environment.end() || found->second != variable.second;
    });
  }
  return common;
}

/// Classes that differ in little else have the same rows: each list of rows stands once, and classes tell its place.
class RowTable {
 public:
  std::size_t place_of(const std::vector<PlanRow>& rows) {
    const auto [found, added] = places_.try_emplace(rows, places_.size());
    if (!added) return found->second;
    Json& list = json_.emplace_back(Json::array());
    for (const PlanRow& row : rows) list.push_back(row_json(row));
    return found->second;
  }
  Json take() { return std::move(json_); }

 private:
  std::map<std::vector<PlanRow>, std::size_t> places_;
  Json json_ = Json::array();
};

Json classes_json(const std::vector<HostClass>& classes, const std::map<std::string, std::string>& common,
                  RowTable& rows) {
  Json result = Json::array();
  for (const HostClass& item : classes) {
    std::map<std::string, std::string> own = item.environment;
    for (const auto& [name, value] : common) own.erase(name);
    Json host_class = {{"rows", rows.place_of(item.rows)}};
    if (!own.empty()) host_class["environment"] = own;
    if (!item.defaults.empty()) host_class["defaults"] = item.defaults;
    for (const auto& [program, copy] : item.programs) host_class["programs"][program] = {copy.path, copy.libraries};
    if (item.most_ranks != 0) host_class["most"] = item.most_ranks;
    result.push_back(std::move(host_class));
  }
  return result;
}

std::vector<HostClass> read_classes(const Json& json) {
  std::vector<std::vector<PlanRow>> rows;
  for (const Json& list : json.at("rows")) {
    rows.emplace_back();
    for (const Json& row : list) rows.back().push_back(plan_row(row));
  }
  std::vector<HostClass> classes;
  for (const Json& item : json.at("classes")) {
    HostClass& host_class = classes.emplace_back();
    const auto place = item.at("rows").get<std::size_t>();
    if (place >= rows.size()) throw UserError("RINGRUN_PLAN is not a plan: a class without rows");
    host_class.rows = rows[place];
    if (item.contains("environment")) item.at("environment").get_to(host_class.environment);
    for (const auto& [name, value] : json.at("environment").items())
      host_class.environment.emplace(name, value.get<std::string>());
    if (item.contains("defaults")) item.at("defaults").get_to(host_class.defaults);
    if (item.contains("programs")) {
      for (const auto& [program, copy] : item.at("programs").items())
        host_class.programs[program] = {copy.at(0).get<std::string>(), copy.at(1).get<std::string>()};
    }
    host_class.most_ranks = item.value("most", 0);
  }
  return classes;
}

Json program_json(const PlanProgram& program) {
  Json json = {{"last", program.last_rank}, {"argv", program.argv}, {"environment", program.environment}};
  if (program.working_directory) json["folder"] = *program.working_directory;
  return json;
}

PlanProgram plan_program(const Json& json) {
  PlanProgram program;
  program.last_rank = json.at("last").get<int>();
  json.at("argv").get_to(program.argv);
  json.at("environment").get_to(program.environment);
  if (program.argv.empty()) throw UserError("RINGRUN_PLAN is not a plan: a program without words");
  if (json.contains("folder")) program.working_directory = json.at("folder").get<std::string>();
  return program;
}

}  // namespace

std::string to_json(const JobPlan& plan) {
  const std::map<std::string, std::string> common = common_environment(plan.classes);
  RowTable rows;
  Json classes = classes_json(plan.classes, common, rows);
  Json exceptions = Json::array();
  for (const HostRange& range : plan.exceptions) exceptions.push_back({range.first, range.last, range.of});
  Json json = {{"schema", kSchema},
               {"hosts", plan.hosts},
               {"classes", std::move(classes)},
               {"rows", rows.take()},
               {"environment", common},
               {"address", plan.rendezvous.address},
               {"port", plan.rendezvous.port},
               {"run_id", plan.rendezvous.run_id}};
  // Either says it all; of alternating hosts the map is the shorter.
  const std::string map = plan.exceptions.empty() ? "" : write_class_map(plan);
  if (!map.empty() && map.size() < exceptions.dump().size()) {
    json["map"] = map;
  } else {
    json["exceptions"] = exceptions;
  }
  // Most jobs want none of these.
  if (plan.output != OutputStyle{}) json["output"] = output_json(plan.output);
  if (plan.shows_progress) json["progress"] = true;
  for (const PlanProgram& program : plan.programs) json["programs"].push_back(program_json(program));
  if (plan.max_restarts != 0) json["restarts"] = {plan.restart, plan.max_restarts};
  if (!plan.nodes.empty()) json["nodes"] = plan.nodes;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

JobPlan job_plan_from_json(std::string_view text) try {
  const Json json = Json::parse(text);
  if (json.value("schema", 0) != kSchema) {
    throw UserError("RINGRUN_PLAN is of another version of ringrun", "put the same version of ringrun on every host");
  }
  JobPlan plan;
  plan.hosts = json.at("hosts").get<int>();
  plan.classes = read_classes(json);
  if (json.contains("map")) {
    plan.exceptions = read_class_map(json.at("map").get<std::string>(), plan.hosts, plan.classes.size());
  } else {
    for (const Json& range : json.at("exceptions"))
      plan.exceptions.push_back({range.at(0).get<int>(), range.at(1).get<int>(), range.at(2).get<int>()});
  }
  plan.rendezvous = {json.at("address").get<std::string>(), json.at("port").get<int>(),
                     json.at("run_id").get<std::string>()};
  if (json.contains("output")) plan.output = output_style(json.at("output"));
  plan.shows_progress = json.value("progress", false);
  if (json.contains("programs")) {
    for (const Json& item : json.at("programs")) plan.programs.push_back(plan_program(item));
  }
  if (json.contains("restarts")) {
    plan.restart = json.at("restarts").at(0).get<int>();
    plan.max_restarts = json.at("restarts").at(1).get<int>();
  }
  if (json.contains("nodes")) json.at("nodes").get_to(plan.nodes);
  return plan;
} catch (const Json::exception& error) {
  throw UserError(std::string("RINGRUN_PLAN is not a plan: ") + error.what());
}

}  // namespace ringrun
