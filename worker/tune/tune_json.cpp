#include <nlohmann/json.hpp>

#include "lib/version.hpp"
#include "worker/tune/tune_report.hpp"

namespace ringrun::worker {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;

json microseconds(const std::vector<double>& seconds) {
  json times = json::array();
  for (double one : seconds) times.push_back(one * 1e6);
  return times;
}

json lines_json(const std::vector<PlacedLine>& lines) {
  json all = json::array();
  for (const PlacedLine& placed : lines)
    all.push_back({{"host", placed.host.empty() ? json(nullptr) : json(placed.host)}, {"line", placed.line}});
  return all;
}

json setting_json(const TuneFindings& findings, std::size_t s) {
  const TunedSetting& setting = findings.tuned.settings[s];
  json variables = json::object();
  for (const TunedVariable& variable : setting.variables) {
    json on_hosts = json::object();
    for (std::size_t host = 0; host < findings.hosts.size(); ++host)
      on_hosts[findings.hosts[host].name] = variable.value_on(host);
    variables[variable.name] = variable.values.size() == 1 ? json(variable.values.front()) : on_hosts;
  }
  json effects = json::object();
  for (const ClassVerdict& verdict : findings.verdicts) {
    effects[name_of(verdict.size_class)] = {{"effect", name_of(verdict.effects[s].effect)},
                                            {"speed", verdict.effects[s].speed},
                                            {"sure_speed", verdict.effects[s].sure_speed}};
  }
  json times = json::array();
  for (const TuneRound& round : findings.tuned.rounds) times.push_back(microseconds(round.of_settings[s]));
  return {{"name", text_of(setting, findings.hosts)},
          {"variables", variables},
          {"failure", findings.tuned.failures[s].empty() ? json(nullptr) : json(findings.tuned.failures[s])},
          {"effects", effects},
          {"times_us", times},
          {"hostfile", lines_json(hostfile_lines(setting, findings.hosts))},
          {"mpirun", lines_json(mpirun_lines(setting, findings.hosts))}};
}

}  // namespace

std::string json_of(const TuneFindings& findings, const TableHead& head) {
  const TuneRounds& tuned = findings.tuned;
  json settings = json::array();
  for (std::size_t s = 0; s < tuned.settings.size(); ++s) settings.push_back(setting_json(findings, s));
  json classes = json::array();
  for (const ClassVerdict& verdict : findings.verdicts) {
    classes.push_back({{"class", name_of(verdict.size_class)},
                       {"noise", verdict.noise},
                       {"recommended", verdict.recommended ? json(*verdict.recommended) : json(nullptr)}});
  }
  json as_it_is = json::array();
  for (const TuneRound& round : tuned.rounds) {
    as_it_is.push_back(microseconds(round.as_it_is));
    as_it_is.push_back(microseconds(round.as_it_is_again));
  }
  const auto text_or_null = [](const std::string& text) { return text.empty() ? json(nullptr) : json(text); };
  return json{{"schema", kSchema},
              {"ringrun", {{"version", kVersion}, {"libraries", head.versions}, {"remarks", head.remarks}}},
              {"args", head.command},
              {"env", head.environment},
              {"collective", name_of(head.plan.kind)},
              {"type", name_of(head.plan.types.front())},
              {"redop", name_of(head.plan.ops.front())},
              {"ranks", head.devices.size()},
              {"ways", findings.ways},
              {"nothing_to_tune", text_or_null(findings.why_none)},
              {"sizes", tuned.sizes},
              {"rounds", tuned.rounds.size()},
              {"elapsed_s", findings.elapsed},
              {"not_tried", findings.left_out},
              {"as_it_is_us", as_it_is},
              {"settings", settings},
              {"classes", classes},
              {"failure", text_or_null(findings.failure)},
              {"partial", text_or_null(findings.partial)}}
      .dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace ringrun::worker
