#include "launcher/hosts/hostfile.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "launcher/hosts/host_line.hpp"
#include "lib/error.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// Those of a further line beside those of the earlier ones.
void add_gpus(Host& host, const Host& again) {
  if (!again.attributes.gpus) return;
  std::vector<int>& gpus = host.attributes.gpus ? *host.attributes.gpus : host.attributes.gpus.emplace();
  gpus.insert(gpus.end(), again.attributes.gpus->begin(), again.attributes.gpus->end());
  check_named_once(gpus, again.origin + ": 'gpus=" + format_cpu_list(*again.attributes.gpus) +
                             "' beside the earlier lines of '" + host.name + "'");
}

// mpirun's rule: a line that says no slots adds one to the host's earlier lines, slots said twice are a mistake. Where
// each line says its GPUs, these are the slots.
void add_again(Host& host, const Host& again, bool said_before) {
  if (again.slots && said_before) {
    throw UserError(again.origin + ": '" + again.name + "' is given slots a second time, first at " + host.origin,
                    "name each host once, or leave slots= off to add one slot a line");
  }
  const bool slots_are_gpus = !host.slots && !again.slots && host.attributes.gpus && again.attributes.gpus;
  if (slots_are_gpus) {
    host.slots_without_gpus = host.slots_without_gpus.value_or(1) + 1;
  } else {
    host.slots = again.slots.value_or(1) + host.slots.value_or(host.slots_without_gpus.value_or(1));
  }
  if (again.max_slots) host.max_slots = again.max_slots;
  host.warnings.insert(host.warnings.end(), again.warnings.begin(), again.warnings.end());
  if (again.user) host.user = again.user;
  if (again.port) host.port = again.port;
  if (again.attributes.nic) host.attributes.nic = again.attributes.nic;
  add_gpus(host, again);
  if (again.attributes.container) host.attributes.container = again.attributes.container;
  for (const auto& [name, value] : again.attributes.environment)
    host.attributes.environment.insert_or_assign(name, value);
  check_gpus_said_once(host.attributes, again.origin);
}

void merge_defaults(HostAttributes& attributes, const HostAttributes& common) {
  if (!attributes.nic) attributes.nic = common.nic;
  if (!attributes.container) attributes.container = common.container;
  // Either way of saying which GPUs wins over the other where it is the host's own.
  const bool says_gpus = attributes.gpus || attributes.environment.count(kVisibleDevices) != 0;
  if (!says_gpus) attributes.gpus = common.gpus;
  for (const auto& [name, value] : common.environment) {
    if (!says_gpus || name != kVisibleDevices) attributes.environment.emplace(name, value);
  }
}

// A terminal would obey them where a message quotes the line.
void reject_control_characters(const std::string& text, const std::string& where) {
  constexpr std::string_view kBlanks = "\t\r\v\f";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code >= 0x20 && code != 0x7F) || kBlanks.find(c) != std::string_view::npos) continue;
    constexpr std::string_view kDigits = "0123456789abcdef";
    throw UserError(where + ": the line has the control character 0x" + kDigits[code >> 4] + kDigits[code & 15],
                    "a hostfile is plain text with one host a line");
  }
}

/// A name of a line "^host".
struct Excluded {
  std::string name;
  std::string where;
};

// mpirun has this in its code and not in its lexer (4.1.4: a parse error).
void leave_out(HostList& hosts, const std::vector<Excluded>& excluded) {
  std::unordered_set<std::string> names;
  for (const Host& host : hosts) names.insert(host.name);
  std::unordered_set<std::string> gone;
  for (const auto& [name, where] : excluded) {
    if (names.count(name) == 0) {
      throw UserError(where + ": '^" + name + "' leaves out a host that the file does not name",
                      "take the line away, or name the host as it stands in the file");
    }
    gone.insert(name);
  }
  const auto is_gone = [&](const Host& host) { return gone.count(host.name) != 0; };
  hosts.erase(std::remove_if(hosts.begin(), hosts.end(), is_gone), hosts.end());
}

}  // namespace

HostList parse_hostfile(std::string_view text, const std::string& file) {
  HostList hosts;
  HostAttributes common;
  struct Seen {
    std::size_t index;
    bool slots_said;
  };
  std::unordered_map<std::string, Seen> seen;
  std::vector<Excluded> excluded;
  for (const HostfileLine& line : split_hostfile(text, file)) {
    const std::string where = file + ":" + std::to_string(line.number);
    reject_control_characters(line.text + line.attributes, where);
    if (std::vector<std::string> left_out = parse_exclusion(line, where); !left_out.empty()) {
      for (std::string& name : left_out) excluded.push_back({std::move(name), where});
      continue;
    }
    const std::vector<Host> named = parse_host_line(line, where);
    if (named.empty() && line.has_attributes) {
      HostAttributes more = parse_ringrun_attributes(line.attributes, where);
      merge_defaults(more, common);
      common = std::move(more);
    }
    for (const Host& host : named) {
      const auto [entry, first] = seen.try_emplace(host.name, Seen{hosts.size(), host.slots.has_value()});
      if (first) {
        hosts.push_back(host);
        hosts.back().cores_unless_said = true;
      } else {
        add_again(hosts[entry->second.index], host, entry->second.slots_said);
        entry->second.slots_said = entry->second.slots_said || host.slots.has_value();
      }
      hosts[entry->second.index].lines.push_back(line.number);
    }
  }
  for (Host& host : hosts) merge_defaults(host.attributes, common);
  leave_out(hosts, excluded);
  return hosts;
}

HostList read_hostfile(const std::string& path) {
  struct stat status {};
  constexpr const char* kRemedy = "name a text file with one host a line, for example: node1 slots=2";
  if (stat(path.c_str(), &status) != 0) {
    throw UserError("cannot read the hostfile '" + path + "': " + std::strerror(errno), kRemedy);
  }
  if (S_ISDIR(status.st_mode)) throw UserError("the hostfile '" + path + "' is a directory", kRemedy);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UserError("cannot read the hostfile '" + path + "': " + std::strerror(errno), kRemedy);
  std::string text;
  std::array<char, 65536> block;
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostBytes) throw UserError("the hostfile '" + path + "' is larger than 64M", kRemedy);
  }
  HostList hosts = parse_hostfile(text, path);
  if (hosts.empty()) throw UserError("the hostfile '" + path + "' names no host", kRemedy);
  return hosts;
}

}  // namespace ringrun
