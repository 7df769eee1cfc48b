#include "launcher/engine/host_directory.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/hosts/name_ranges.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "launcher/run/shell_stage.hpp"
#include "lib/error.hpp"
#include "lib/text/shell_word.hpp"

namespace ringrun {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 2;

// The engine may cut a name at its first dot.
HostList::const_iterator find_host(const HostList& hosts, const std::string& name) {
  const auto same = [&](const Host& host) { return host.name == name; };
  const auto found = std::find_if(hosts.begin(), hosts.end(), same);
  if (found != hosts.end()) return found;
  const auto begins = [&](const Host& host) { return host.name.rfind(name + ".", 0) == 0; };
  return std::find_if(hosts.begin(), hosts.end(), begins);
}

std::string set_variable(const std::string& name, const std::string& value) {
  return name + "=" + quote_for_shell(value) + " ; export " + name + " ;";
}

// The engine repeats its own remote-shell agent to the daemon, which ends where that path does not exist on its host,
// though it starts no shell itself (4.1.4: in silence, and mpirun waits for ever).
void disarm_remote_shell(std::vector<std::string>& command) {
  for (std::size_t i = 0; i + 1 < command.size(); ++i) {
    if (command[i] == "plm_rsh_agent" || command[i] == "plm_ssh_agent") command[i + 1] = "/bin/true";
  }
}

struct DaemonStart {
  Host host;
  std::vector<std::string> command;
};

DaemonStart parse_daemon_start(const std::vector<std::string>& words) {
  DaemonStart start;
  std::size_t at = 0;
  const auto option = [&] {
    if (at + 1 >= words.size() || (words[at] != "-p" && words[at] != "-l")) return false;
    if (words[at] == "-p") start.host.port = std::stoi(words[at + 1]);
    if (words[at] == "-l") start.host.user = words[at + 1];
    at += 2;
    return true;
  };
  while (option()) {
  }
  if (at == words.size()) throw UserError("ringrun __rsh: no host is given", "it is started by the engine");
  start.host.name = words[at++];
  while (option()) {
  }
  start.command.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return start;
}

/// All but the host's name.
Json said_of(const HostDirectory& directory, std::size_t place) {
  const Host& host = directory.hosts[place];
  Json item = Json::object();
  if (place < directory.programs.size() && !directory.programs[place].empty())
    item["program"] = directory.programs[place];
  if (host.user) item["user"] = *host.user;
  if (host.port) item["port"] = *host.port;
  if (const auto& container = host.attributes.container) {
    item["container"] = container->name;
    item["here"] = container->here;
  }
  return item;
}

/// The hosts of one item: a word for their names alone, or an object where more is said of them.
void add_hosts(HostDirectory& directory, const Json& item) {
  Host host;
  std::string program;
  if (item.is_object()) {
    if (item.contains("user")) host.user = item.at("user").get<std::string>();
    if (item.contains("port")) host.port = item.at("port").get<int>();
    if (item.contains("container"))
      host.attributes.container = HostContainer{item.at("container").get<std::string>(), item.at("here").get<bool>()};
    program = item.value("program", "");
  }
  for (std::string& name : expand_name((item.is_object() ? item.at("name") : item).get<std::string>())) {
    host.name = std::move(name);
    directory.hosts.push_back(host);
    directory.programs.push_back(program);
  }
}

}  // namespace

std::string to_json(const HostDirectory& directory) {
  Json hosts = Json::array();
  for (std::size_t i = 0; i < directory.hosts.size();) {
    const Json said = said_of(directory, i);
    std::vector<std::string> names;
    for (; i < directory.hosts.size() && said_of(directory, i) == said; ++i) names.push_back(directory.hosts[i].name);
    for (std::string& word : fold_names(names)) {
      Json item = said;
      item["name"] = word;
      hosts.push_back(said.empty() ? Json(std::move(word)) : std::move(item));
    }
  }
  return Json{{"schema", kSchema}, {"shell", directory.shell}, {"hosts", hosts}}.dump(-1, ' ', false,
                                                                                      Json::error_handler_t::replace);
}

HostDirectory host_directory_from_json(std::string_view text) try {
  const Json json = Json::parse(text);
  if (json.value("schema", 0) != kSchema) throw UserError("RINGRUN_HOSTS is of another version of ringrun");
  HostDirectory directory{json.at("shell").get<std::vector<std::string>>(), {}, {}, {}};
  for (const Json& item : json.at("hosts")) add_hosts(directory, item);
  return directory;
} catch (const Json::exception& error) {
  throw UserError(std::string("RINGRUN_HOSTS cannot be read: ") + error.what(), "start the job again with ringrun");
}

std::vector<std::string> daemon_command(const HostDirectory& directory, const std::vector<std::string>& words) {
  DaemonStart start = parse_daemon_start(words);
  disarm_remote_shell(start.command);
  const std::optional<int> place = host_place(directory, words);
  if (!place) return remote_command(directory.shell, start.host, start.command);
  const auto index = static_cast<std::size_t>(*place);
  std::string settings = set_variable(kHostVariable, std::to_string(index));
  if (index < directory.programs.size() && !directory.programs[index].empty())
    settings += " " + set_variable(kSelfVariable, directory.programs[index]);
  if (!directory.run_id.empty()) {
    settings += " " + set_variable(kRunVariable, directory.run_id) + " " + shell_greeting(directory.run_id, *place);
  }
  start.command.insert(start.command.begin(), settings);
  return remote_command(directory.shell, directory.hosts[index], start.command);
}

std::optional<int> host_place(const HostDirectory& directory, const std::vector<std::string>& words) {
  const auto known = find_host(directory.hosts, parse_daemon_start(words).host.name);
  if (known == directory.hosts.end()) return std::nullopt;
  return static_cast<int>(known - directory.hosts.begin());
}

}  // namespace ringrun
