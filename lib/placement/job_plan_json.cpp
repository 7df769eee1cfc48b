#include <nlohmann/json.hpp>

#include "lib/error.hpp"
#include "lib/placement/job_plan.hpp"

namespace ringrun {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 1;

}  // namespace

std::string to_json(const JobPlan& plan) {
  Json classes = Json::array();
  for (const HostClass& item : plan.classes) {
    Json rows = Json::array();
    for (const PlanRow& row : item.rows) rows.push_back({row.gpu, row.cpus});
    classes.push_back({{"rows", rows}, {"environment", item.environment}, {"defaults", item.defaults}});
  }
  Json exceptions = Json::array();
  for (const HostRange& range : plan.exceptions) exceptions.push_back({range.first, range.last, range.of});
  const Json json = {{"schema", kSchema},
                     {"hosts", plan.hosts},
                     {"classes", classes},
                     {"exceptions", exceptions},
                     {"address", plan.rendezvous.address},
                     {"port", plan.rendezvous.port},
                     {"run_id", plan.rendezvous.run_id}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

JobPlan job_plan_from_json(std::string_view text) try {
  const Json json = Json::parse(text);
  if (json.value("schema", 0) != kSchema) {
    throw UserError("RINGRUN_PLAN is of another version of ringrun", "put the same version of ringrun on every host");
  }
  JobPlan plan;
  plan.hosts = json.at("hosts").get<int>();
  for (const Json& item : json.at("classes")) {
    HostClass host_class;
    for (const Json& row : item.at("rows"))
      host_class.rows.push_back({row.at(0).get<int>(), row.at(1).get<std::string>()});
    item.at("environment").get_to(host_class.environment);
    item.at("defaults").get_to(host_class.defaults);
    plan.classes.push_back(std::move(host_class));
  }
  for (const Json& range : json.at("exceptions")) {
    plan.exceptions.push_back({range.at(0).get<int>(), range.at(1).get<int>(), range.at(2).get<int>()});
  }
  plan.rendezvous = {json.at("address").get<std::string>(), json.at("port").get<int>(),
                     json.at("run_id").get<std::string>()};
  return plan;
} catch (const Json::exception& error) {
  throw UserError(std::string("RINGRUN_PLAN is not a plan: ") + error.what());
}

}  // namespace ringrun
