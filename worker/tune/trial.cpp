#include "worker/tune/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace ringrun::worker {
namespace {

using nlohmann::json;

/// One line: texts that are no UTF-8 lose what is not.
std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string hexadecimal(const std::string& bytes) {
  std::string text;
  for (char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string bytes_of(const std::string& text) {
  if (text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw std::invalid_argument("an id is not hexadecimal");
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

}  // namespace

std::string to_text(const TrialOrder& order) {
  json variables = json::array();
  for (const TunedVariable& variable : order.setting.variables)
    variables.push_back({{"name", variable.name}, {"values", variable.values}});
  return dump({{"end", order.end},
               {"number", order.number},
               {"variables", variables},
               {"iterations", order.iterations},
               {"deadline", order.deadline},
               {"asks_for_transports", order.asks_for_transports}});
}

TrialOrder trial_order_from(const std::string& text) {
  const json from = json::parse(text);
  TrialOrder order;
  from.at("end").get_to(order.end);
  from.at("number").get_to(order.number);
  for (const json& variable : from.at("variables"))
    order.setting.variables.push_back({variable.at("name"), variable.at("values")});
  from.at("iterations").get_to(order.iterations);
  from.at("deadline").get_to(order.deadline);
  from.at("asks_for_transports").get_to(order.asks_for_transports);
  return order;
}

std::string to_text(const TrialReport& report) {
  return dump({{"seconds", report.seconds},
               {"error", report.error},
               {"timed_out", report.timed_out},
               {"stopped", report.stopped},
               {"transports", report.transports}});
}

TrialReport trial_report_from(const std::string& text) {
  const json from = json::parse(text);
  TrialReport report;
  from.at("seconds").get_to(report.seconds);
  from.at("error").get_to(report.error);
  from.at("timed_out").get_to(report.timed_out);
  from.at("stopped").get_to(report.stopped);
  from.at("transports").get_to(report.transports);
  return report;
}

TrialReport combined(const std::vector<TrialReport>& reports, const std::vector<std::string>& hosts) {
  // One that failed by itself knows why; one that ran into the deadline only that; one that was stopped nothing.
  const auto knowledge = [](const TrialReport& report) {
    return !report.failed() ? 0 : report.stopped ? 1 : report.timed_out ? 2 : 3;
  };
  TrialReport all;
  std::size_t wisest = 0;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (knowledge(reports[i]) > knowledge(reports[wisest])) wisest = i;
    for (const std::string& transport : reports[i].transports)
      if (std::find(all.transports.begin(), all.transports.end(), transport) == all.transports.end())
        all.transports.push_back(transport);
  }
  if (reports[wisest].failed()) {
    all.error = fmt::format("process {} on {}: {}", wisest, hosts.at(wisest), reports[wisest].error);
    all.timed_out = reports[wisest].timed_out;
    return all;
  }
  all.seconds.assign(reports.front().seconds.size(), 0);
  for (const TrialReport& report : reports) {
    for (std::size_t i = 0; i < all.seconds.size(); ++i)
      all.seconds[i] += report.seconds.at(i) / static_cast<double>(reports.size());
  }
  return all;
}

std::vector<std::string> transports_in(const std::string& log) {
  constexpr std::string_view kVia = " via ";
  std::vector<std::string> transports;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t via = line.find(kVia);
    if (via == std::string::npos || line.find("Channel ") == std::string::npos) continue;
    std::string_view way = std::string_view(line).substr(via + kVia.size());
    way = way.substr(0, way.find_first_of(" \r"));
    // Of the network its name counts too: "NET/Socket/0".
    std::size_t end = way.find('/');
    if (way.substr(0, end) == "NET" && end != std::string_view::npos) end = way.find('/', end + 1);
    const std::string transport(way.substr(0, end));
    if (std::find(transports.begin(), transports.end(), transport) == transports.end()) transports.push_back(transport);
  }
  return transports;
}

std::string to_text(const TrialTask& task) {
  const Operation& operation = task.operation;
  const GpuBackend::Settings& settings = task.settings;
  return dump({{"parent", task.parent},
               {"makes_id", task.makes_id},
               {"kind", static_cast<int>(operation.kind)},
               {"type", static_cast<int>(operation.type)},
               {"op", static_cast<int>(operation.op)},
               {"root", operation.root},
               {"ranks", task.placement.ranks},
               {"first_rank", task.placement.first_rank},
               {"devices", task.placement.devices},
               {"sizes", task.sizes},
               {"iterations", task.iterations},
               {"max_bytes", settings.max_bytes},
               {"misalignment", settings.misalignment},
               {"threads", settings.threads},
               {"parallel_init", settings.parallel_init},
               {"registration", settings.registration},
               {"cta_policy", settings.cta_policy},
               {"null_stream", settings.null_stream}});
}

TrialTask trial_task_from(const std::string& text) {
  const json from = json::parse(text);
  TrialTask task;
  from.at("parent").get_to(task.parent);
  from.at("makes_id").get_to(task.makes_id);
  // Written by the same program: numbers suffice.
  task.operation.kind = static_cast<CollectiveKind>(from.at("kind").get<int>());
  task.operation.type = static_cast<DataType>(from.at("type").get<int>());
  task.operation.op = static_cast<ReduceOp>(from.at("op").get<int>());
  from.at("root").get_to(task.operation.root);
  from.at("ranks").get_to(task.placement.ranks);
  task.operation.ranks = task.placement.ranks;
  from.at("first_rank").get_to(task.placement.first_rank);
  from.at("devices").get_to(task.placement.devices);
  from.at("sizes").get_to(task.sizes);
  from.at("iterations").get_to(task.iterations);
  from.at("max_bytes").get_to(task.settings.max_bytes);
  from.at("misalignment").get_to(task.settings.misalignment);
  from.at("threads").get_to(task.settings.threads);
  from.at("parallel_init").get_to(task.settings.parallel_init);
  from.at("registration").get_to(task.settings.registration);
  from.at("cta_policy").get_to(task.settings.cta_policy);
  from.at("null_stream").get_to(task.settings.null_stream);
  return task;
}

std::string to_text(const TrialAnswer& answer) {
  return dump({{"id", hexadecimal(answer.id)}, {"seconds", answer.seconds}, {"error", answer.error}});
}

TrialAnswer trial_answer_from(const std::string& text) {
  const json from = json::parse(text);
  TrialAnswer answer;
  answer.id = bytes_of(from.at("id"));
  from.at("seconds").get_to(answer.seconds);
  from.at("error").get_to(answer.error);
  return answer;
}

}  // namespace ringrun::worker
