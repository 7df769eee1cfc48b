#include "launcher/engine/host_directory.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/probe/remote_shell.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 1;

// The engine may cut a name at its first dot.
HostList::const_iterator find_host(const HostList& hosts, const std::string& name) {
  const auto same = [&](const Host& host) { return host.name == name; };
  const auto found = std::find_if(hosts.begin(), hosts.end(), same);
  if (found != hosts.end()) return found;
  const auto begins = [&](const Host& host) { return host.name.rfind(name + ".", 0) == 0; };
  return std::find_if(hosts.begin(), hosts.end(), begins);
}

}  // namespace

std::string to_json(const HostDirectory& directory) {
  Json hosts = Json::array();
  for (const Host& host : directory.hosts) {
    Json item = {{"name", host.name}};
    if (host.user) item["user"] = *host.user;
    if (host.port) item["port"] = *host.port;
    hosts.push_back(std::move(item));
  }
  return Json{{"schema", kSchema}, {"shell", directory.shell}, {"hosts", hosts}}.dump(-1, ' ', false,
                                                                                      Json::error_handler_t::replace);
}

HostDirectory host_directory_from_json(std::string_view text) try {
  const Json json = Json::parse(text);
  if (json.value("schema", 0) != kSchema) throw UserError("RINGRUN_HOSTS is of another version of ringrun");
  HostDirectory directory{json.at("shell").get<std::vector<std::string>>(), {}};
  for (const Json& item : json.at("hosts")) {
    Host host;
    host.name = item.at("name").get<std::string>();
    if (item.contains("user")) host.user = item.at("user").get<std::string>();
    if (item.contains("port")) host.port = item.at("port").get<int>();
    directory.hosts.push_back(std::move(host));
  }
  return directory;
} catch (const Json::exception& error) {
  throw UserError(std::string("RINGRUN_HOSTS cannot be read: ") + error.what(), "start the job again with ringrun");
}

std::vector<std::string> daemon_command(const HostDirectory& directory, const std::vector<std::string>& words) {
  Host host;
  std::size_t at = 0;
  const auto option = [&] {
    if (at + 1 >= words.size() || (words[at] != "-p" && words[at] != "-l")) return false;
    if (words[at] == "-p") host.port = std::stoi(words[at + 1]);
    if (words[at] == "-l") host.user = words[at + 1];
    at += 2;
    return true;
  };
  while (option()) {
  }
  if (at == words.size()) throw UserError("ringrun __rsh: no host is given", "it is started by the engine");
  host.name = words[at++];
  while (option()) {
  }
  std::vector<std::string> command(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  const auto known = find_host(directory.hosts, host.name);
  if (known != directory.hosts.end()) {
    const std::string index = std::to_string(known - directory.hosts.begin());
    host = *known;
    command.insert(command.begin(), std::string(kHostVariable) + "=" + index + " ; export " + kHostVariable + " ;");
  }
  return remote_command(directory.shell, host, command);
}

}  // namespace ringrun
