#include "worker/placement/process_view.hpp"

#include <nlohmann/json.hpp>

namespace ringrun::worker {

using Json = nlohmann::json;

std::string to_text(const ProcessView& view) {
  Json json = {{"gpus", view.gpus}};
  if (view.verdict) json["verdict"] = {{"origin", static_cast<int>(view.verdict->origin)}, {"by", view.verdict->by}};
  // Words of the user's may stand in it, in any encoding.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ProcessView process_view_from(const std::string& text) {
  const Json json = Json::parse(text);
  ProcessView view;
  json.at("gpus").get_to(view.gpus);
  if (const auto verdict = json.find("verdict"); verdict != json.end()) {
    view.verdict = {static_cast<BindingOrigin>(verdict->at("origin").get<int>()), verdict->at("by").get<std::string>()};
  }
  return view;
}

BindingVerdict verdict_of_host(const std::vector<ProcessView>& host, std::size_t own) {
  for (const BindingOrigin origin : {BindingOrigin::kAsked, BindingOrigin::kUnknown}) {
    for (const ProcessView& process : host) {
      if (process.verdict && process.verdict->origin == origin) return *process.verdict;
    }
  }
  return host.at(own).verdict.value();
}

}  // namespace ringrun::worker
