#include "launcher/hosts/named_hosts.hpp"

#include <algorithm>

#include "launcher/hosts/host_line.hpp"
#include "launcher/hosts/name_ranges.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

/// A host of -H: `all` where it says `:*`.
struct Named {
  Host host;
  bool all = false;
};

void add_word(std::vector<Named>& named, std::string word, const std::string& where) {
  bool all = false;
  for (const char* suffix : {":*", ":auto"}) {
    const std::string_view text(suffix);
    if (word.size() > text.size() && word.compare(word.size() - text.size(), text.size(), text) == 0) {
      all = true;
      word.erase(word.size() - text.size());
    }
  }
  for (Host& host : parse_host_word(word, where)) {
    host.cores_unless_said = all;
    const auto same = [&](const Named& other) { return other.host.name == host.name; };
    const auto found = std::find_if(named.begin(), named.end(), same);
    if (found == named.end()) {
      named.push_back({host, all});
    } else if (!found->all) {
      found->host.slots = found->host.slots.value_or(1) + host.slots.value_or(1);
      found->all = all;
      if (all) found->host.slots.reset();
    }
  }
}

std::vector<Named> parse_lists(const std::vector<std::string>& lists) {
  std::vector<Named> named;
  for (const std::string& list : lists) {
    for (std::string& word : split_list(list)) {
      if (word.empty()) throw UserError("-H '" + list + "' names no host between two commas", "write -H a,b:2");
      add_word(named, std::move(word), "-H '" + list + "'");
    }
  }
  return named;
}

}  // namespace

HostList choose_hosts(const std::optional<HostList>& hostfile, const std::vector<std::string>& lists) {
  HostList hosts;
  for (const Named& named : parse_lists(lists)) {
    Host host = named.host;
    if (hostfile) {
      const auto same = [&](const Host& other) { return other.name == host.name; };
      const auto found = std::find_if(hostfile->begin(), hostfile->end(), same);
      if (found == hostfile->end()) {
        throw UserError(host.origin + ": '" + host.name + "' is not in the hostfile",
                        "with a hostfile, -H says which of its hosts to use");
      }
      const std::optional<int> slots = host.slots;
      const std::optional<std::string> user = host.user;
      host = *found;
      if (slots) host.slots = slots;
      if (user) host.user = user;
    }
    hosts.push_back(std::move(host));
  }
  if (!hosts.empty()) return hosts;
  if (hostfile) return *hostfile;
  Host here;
  here.name = "localhost";
  here.cores_unless_said = true;
  here.origin = "this host";
  return {here};
}

}  // namespace ringrun
