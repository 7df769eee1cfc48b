#include "launcher/cli/option_table.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "lib/error.hpp"

namespace ringrun {
namespace {

using Values = std::vector<std::string>;

int whole_number(const std::string& option, const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    const bool open = most == std::numeric_limits<int>::max();
    throw UserError(option + " '" + text + "' is not a whole number from " + std::to_string(least) +
                    (open ? " upwards" : " to " + std::to_string(most)));
  }
  return value;
}

std::string binding(const std::string& text) {
  static const std::set<std::string> known = {"none",    "hwthread", "core", "l1cache", "l2cache", "l3cache",
                                              "package", "socket",   "numa", "board",   "cpu-list"};
  if (known.count(text.substr(0, text.find(':'))) != 0) return text;
  throw UserError("--bind-to '" + text + "' is not known", "one of none, hwthread, core, l3cache, socket, numa");
}

std::pair<std::string, std::string> host_and_interface(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < text.size()) {
    return {text.substr(0, equals), text.substr(equals + 1)};
  }
  throw UserError("--nic '" + text + "' names no host and interface", "write --nic HOST=INTERFACE");
}

PortRange port_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos)
    throw UserError("--port-range '" + text + "' is no range", "write --port-range 20000-20100");
  const PortRange range{whole_number("--port-range", text.substr(0, dash), 1, 65535),
                        whole_number("--port-range", text.substr(dash + 1), 1, 65535)};
  // A daemon, its ranks, the rendezvous and the probes want a port each.
  constexpr int kLeast = 16;
  if (range.last - range.first + 1 >= kLeast) return range;
  throw UserError("--port-range '" + text + "' has too few ports", "give at least " + std::to_string(kLeast));
}

Transport transport(const std::string& text) {
  if (text == "mpi") return Transport::mpi;
  if (text == "nccl") return Transport::nccl;
  throw UserError("--transport '" + text + "' is not known", "mpi or nccl");
}

std::string engine(const std::string& text) {
  if (text == "auto" || text == "openmpi" || text == "slurm") return text;
  throw UserError("--engine '" + text + "' is not known", "auto, openmpi or slurm");
}

bool ends_on_hang(const std::string& text) {
  if (text == "end") return true;
  if (text == "report") return false;
  throw UserError("--on-hang '" + text + "' is not known", "end or report");
}

template <typename Value>
void set_once(const std::string& option, std::optional<Value>& target, Value value) {
  if (target) throw UserError(option + " is given more than once", "leave one of them");
  target = std::move(value);
}

void add_parameter(LaunchRequest& request, const Values& words) {
  for (const auto& [name, value] : request.parameters) {
    if (name == words[0] && value != words[1]) {
      throw UserError("--mca " + words[0] + " is given twice, as '" + value + "' and as '" + words[1] + "'",
                      "leave one of them");
    }
  }
  request.parameters.emplace_back(words[0], words[1]);
}

std::vector<OptionRow> make_table() {
  constexpr int kMost = std::numeric_limits<int>::max();
  return {
      {{"-np", "-n", "-c", "--n", "--np"},
       1,
       "N",
       "number of ranks; unsaid: every slot",
       [](LaunchRequest& r, const Values& v) { set_once("-np", r.ranks, whole_number("-np", v[0], 1, kMost)); }},
      {{"-hostfile", "--hostfile", "-machinefile", "--machinefile"},
       1,
       "FILE",
       "hosts, one a line: name slots=N user@ port=N, node[01-16]",
       [](LaunchRequest& r, const Values& v) { set_once("-hostfile", r.hostfile, v[0]); }},
      {{"-H", "-host", "--host"},
       1,
       "LIST",
       "hosts: a,b:2,c:*; with a hostfile: which of its hosts",
       [](LaunchRequest& r, const Values& v) { r.host_lists.push_back(v[0]); }},
      {{"-x"},
       1,
       "NAME[=VALUE]",
       "environment variable for the ranks; NAME may end in *",
       [](LaunchRequest& r, const Values& v) { r.exports.push_back(v[0]); }},
      {{"--mca", "-mca", "-gmca", "--gmca"}, 2, "NAME VALUE", "parameter of Open MPI", add_parameter},
      {{"--bind-to", "-bind-to"},
       1,
       "WHAT",
       "the engine's own binding instead of ringrun's",
       [](LaunchRequest& r, const Values& v) { set_once("--bind-to", r.bind_to, binding(v[0])); }},
      {{"--oversubscribe", "-oversubscribe"},
       0,
       "",
       "more ranks than slots are meant",
       [](LaunchRequest& r, const Values&) { r.oversubscribe = true; }},
      {{"-wdir", "--wdir", "-wd", "--wd"},
       1,
       "DIR",
       "working directory of the ranks",
       [](LaunchRequest& r, const Values& v) { set_once("-wdir", r.working_directory, v[0]); }},
      {{"--prefix", "-prefix"},
       1,
       "DIR",
       "where Open MPI stands on every host",
       [](LaunchRequest& r, const Values& v) { set_once("--prefix", r.prefix, v[0]); }},
      {{"--allow-run-as-root", "-allow-run-as-root"},
       0,
       "",
       "as root, in a container",
       [](LaunchRequest& r, const Values&) { r.allow_run_as_root = true; }},
      {{"--master-port"},
       1,
       "PORT",
       "MASTER_PORT of the ranks",
       [](LaunchRequest& r, const Values& v) {
         set_once("--master-port", r.master_port, whole_number("--master-port", v[0], 1, 65535));
       }},
      {{"--engine"},
       1,
       "NAME",
       "what starts the ranks: auto, openmpi, slurm (auto)",
       [](LaunchRequest& r, const Values& v) { set_once("--engine", r.engine, engine(v[0])); }},
      {{"--doctor"},
       0,
       "",
       "check hosts and network, report, start nothing",
       [](LaunchRequest& r, const Values&) { r.doctor = true; }},
      {{"--json"}, 0, "", "the report of --doctor as JSON", [](LaunchRequest& r, const Values&) { r.json = true; }},
      {{"--no-preflight"},
       0,
       "",
       "start without a look at the network",
       [](LaunchRequest& r, const Values&) { r.preflight = false; }},
      {{"--nic"},
       1,
       "HOST=INTERFACE",
       "the network card for this host",
       [](LaunchRequest& r, const Values& v) { r.nics.push_back(host_and_interface(v[0])); }},
      {{"--port-range"},
       1,
       "FIRST-LAST",
       "ports that a firewall leaves open between the hosts",
       [](LaunchRequest& r, const Values& v) { set_once("--port-range", r.ports, port_range(v[0])); }},
      {{"--transport"},
       1,
       "NAME",
       "what the program talks over: mpi, nccl",
       [](LaunchRequest& r, const Values& v) { set_once("--transport", r.transport, transport(v[0])); }},
      {{"--on-hang"},
       1,
       "WHAT",
       "a job that cannot go on: end, report",
       [](LaunchRequest& r, const Values& v) { set_once("--on-hang", r.end_on_hang, ends_on_hang(v[0])); }},
      {{"--hang-timeout"},
       1,
       "SECONDS",
       "silence after a fatal line that is a hang (10)",
       [](LaunchRequest& r, const Values& v) { r.hang_timeout = whole_number("--hang-timeout", v[0], 1, 86400); }},
      {{"--start-timeout"},
       1,
       "SECONDS",
       "how long a host may take to answer (30)",
       [](LaunchRequest& r, const Values& v) { r.start_timeout = whole_number("--start-timeout", v[0], 1, 86400); }},
      {{"--dry-run"},
       0,
       "",
       "ask the hosts, print what would start, start nothing",
       [](LaunchRequest& r, const Values&) { r.dry_run = true; }},
      {{"-v", "--verbose"},
       0,
       "",
       "say what is decided, and the engine's command",
       [](LaunchRequest& r, const Values&) { r.verbose = true; }},
      {{"-V", "--version"}, 0, "", "print the version", [](LaunchRequest& r, const Values&) { r.version = true; }},
      {{"-h", "--help", "-help"}, 0, "", "print this", [](LaunchRequest& r, const Values&) { r.help = true; }},
  };
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

const std::vector<OptionRow>& option_table() {
  static const std::vector<OptionRow> table = make_table();
  return table;
}

const OptionRow* find_option(std::string_view spelling) {
  for (const OptionRow& row : option_table()) {
    if (std::find(row.spellings.begin(), row.spellings.end(), spelling) != row.spellings.end()) return &row;
  }
  return nullptr;
}

std::string nearest_spelling(std::string_view word) {
  std::string nearest;
  std::size_t least = 3;
  for (const OptionRow& row : option_table()) {
    for (const std::string& spelling : row.spellings) {
      const std::size_t distance = edit_distance(word, spelling);
      // Short options are near everything.
      if (distance < least && distance + 2 < spelling.size()) {
        least = distance;
        nearest = spelling;
      }
    }
  }
  return nearest;
}

}  // namespace ringrun
