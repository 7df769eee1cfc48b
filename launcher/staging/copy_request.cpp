#include "launcher/staging/copy_request.hpp"

#include <nlohmann/json.hpp>

#include "lib/error.hpp"
#include "lib/host/content_hash.hpp"

namespace ringrun {

using Json = nlohmann::json;

// nlohmann finds these by the namespace of their types.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CopyFile, name, size, hash, executable, folder)

namespace {

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

[[noreturn]] void refuse(const char* what, const Json::exception& error) {
  throw UserError(std::string("the ") + what + " of a copy cannot be read: " + error.what(),
                  "put the same version of ringrun on every host");
}

}  // namespace

std::string to_json(const CopyRequest& request) {
  return line_of({{"files", request.files},
                  {"folder", request.folder},
                  {"cache_home", request.cache_home},
                  {"sent", request.sent},
                  {"libraries", request.libraries},
                  {"question", Json::parse(to_json(request.question))}});
}

CopyRequest copy_request_from_json(std::string_view line) try {
  const Json json = Json::parse(line);
  CopyRequest request;
  json.at("files").get_to(request.files);
  json.at("folder").get_to(request.folder);
  json.at("cache_home").get_to(request.cache_home);
  json.at("sent").get_to(request.sent);
  json.at("libraries").get_to(request.libraries);
  request.question = host_question_from_json(line_of(json.at("question")));
  for (const std::size_t place : request.sent) {
    if (place >= request.files.size()) throw UserError("a copy's request sends a file that it does not name");
  }
  return request;
} catch (const Json::exception& error) {
  refuse("request", error);
}

std::string to_json(const CopyAnswer& answer) {
  // The facts of a program have their JSON as a part of a host's.
  HostFacts facts;
  facts.program = answer.program;
  return line_of({{"folder", answer.folder},
                  {"wanted", answer.wanted},
                  {"lacking", answer.lacking},
                  {"problem", answer.problem},
                  {"remedy", answer.remedy},
                  {"facts", Json::parse(to_json(facts))}});
}

CopyAnswer copy_answer_from_json(std::string_view line) try {
  const Json json = Json::parse(line);
  CopyAnswer answer;
  json.at("folder").get_to(answer.folder);
  json.at("wanted").get_to(answer.wanted);
  json.at("lacking").get_to(answer.lacking);
  json.at("problem").get_to(answer.problem);
  json.at("remedy").get_to(answer.remedy);
  answer.program = host_facts_from_json(line_of(json.at("facts"))).program;
  return answer;
} catch (const Json::exception& error) {
  refuse("answer", error);
}

std::uint64_t bytes_sent(const CopyRequest& request) {
  std::uint64_t bytes = 0;
  for (const std::size_t place : request.sent) bytes += request.files.at(place).size;
  return bytes;
}

std::string name_of_copy(const std::vector<CopyFile>& files) {
  ContentHash hash;
  const auto add = [&](const std::string& text) { hash.add(text.c_str(), text.size() + 1); };
  for (const CopyFile& file : files) {
    add(file.name);
    add(file.hash);
    add(file.executable ? "x" : "-");
  }
  return hash.text();
}

}  // namespace ringrun
