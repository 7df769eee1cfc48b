#include "launcher/run/rank_record.hpp"

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "lib/text/record_frame.hpp"

namespace ringrun {
namespace {

using Json = nlohmann::json;

Json to_json(const ShellRecord& record) {
  Json json = {{"host", record.host}};
  if (record.code) json["code"] = *record.code;
  return {{"shell", json}};
}

Json to_json(const StartRecord& record) { return {{"start", {record.rank, record.host, record.time}}}; }

Json to_json(const ProgressRecord& record) { return {{"progress", record.text}}; }

Json to_json(const EndRecord& record) {
  Json json = {{"rank", record.rank}, {"host", record.host}, {"pid", record.pid}, {"time", record.time}};
  if (record.gpu >= 0) json["gpu"] = record.gpu;
  if (record.code != 0) json["code"] = record.code;
  if (record.signal != 0) json["signal"] = record.signal;
  if (record.core) json["core"] = true;
  if (record.error != 0) json["error"] = record.error;
  if (!record.program.empty()) json["program"] = record.program;
  if (record.told) json["told"] = true;
  if (!record.lines.empty()) json["lines"] = record.lines;
  return {{"end", json}};
}

EndRecord end_record(const Json& json) {
  EndRecord record;
  record.rank = json.at("rank").get<int>();
  record.host = json.at("host").get<std::string>();
  record.pid = json.at("pid").get<int>();
  record.time = json.at("time").get<std::int64_t>();
  record.gpu = json.value("gpu", -1);
  record.code = json.value("code", 0);
  record.signal = json.value("signal", 0);
  record.core = json.value("core", false);
  record.error = json.value("error", 0);
  record.program = json.value("program", "");
  record.told = json.value("told", false);
  record.lines = json.value("lines", std::vector<std::string>{});
  return record;
}

std::string framed(const std::string& run_id, const Record& record) {
  const Json json = std::visit([](const auto& kind) { return to_json(kind); }, record);
  // Escaped: no control character stands inside.
  return frame_text(run_id, json.dump(-1, ' ', true, Json::error_handler_t::replace));
}

}  // namespace

std::string frame_record(const std::string& run_id, const Record& record, std::size_t most) {
  std::string text = framed(run_id, record);
  if (text.size() <= most || !std::holds_alternative<EndRecord>(record)) return text;
  EndRecord shorter = std::get<EndRecord>(record);
  while (text.size() > most && !(shorter.lines.empty() && shorter.program.empty())) {
    if (shorter.lines.empty()) {
      shorter.program.clear();
    } else if (shorter.lines.size() == 1 && shorter.lines[0].size() > 100) {
      shorter.lines[0].resize(shorter.lines[0].size() / 2);
    } else {
      shorter.lines.erase(shorter.lines.begin());
    }
    text = framed(run_id, shorter);
  }
  return text;
}

std::optional<Record> parse_record(std::string_view text) try {
  const Json json = Json::parse(text);
  if (json.contains("start")) {
    const Json& start = json.at("start");
    return StartRecord{start.at(0).get<int>(), start.at(1).get<int>(), start.at(2).get<std::int64_t>()};
  }
  if (json.contains("end")) return end_record(json.at("end"));
  if (json.contains("progress")) return ProgressRecord{json.at("progress").get<std::string>()};
  ShellRecord record{json.at("shell").at("host").get<int>(), std::nullopt};
  if (json.at("shell").contains("code")) record.code = json.at("shell").at("code").get<int>();
  return record;
} catch (const Json::exception&) {
  return std::nullopt;
}

int exit_code_of(const EndRecord& record) {
  if (record.error != 0) return record.error == ENOENT ? 127 : 126;
  return record.signal != 0 ? 128 + record.signal : record.code;
}

}  // namespace ringrun
