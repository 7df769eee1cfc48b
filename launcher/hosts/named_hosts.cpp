#include "launcher/hosts/named_hosts.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "launcher/hosts/host_line.hpp"
#include "launcher/hosts/name_ranges.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

/// The hosts of all -H. `all` is true where one says `:*`.
class NamedHosts {
 public:
  explicit NamedHosts(const std::optional<HostPool>& pool) : pool_(pool) {
    if (!pool) return;
    for (std::size_t i = 0; i < pool->hosts.size(); ++i) place_in_pool_.emplace(pool->hosts[i].name, i);
    if (const auto here = place_in_pool_.find(pool->here); here != place_in_pool_.end()) {
      place_in_pool_.emplace("localhost", here->second);
    }
  }

  void add_list(const std::string& list) {
    const std::string where = "-H '" + list + "'";
    if (list.find_first_not_of(',') == std::string::npos) throw UserError(where + " names no host", "write -H a,b:2");
    for (const std::string& word : split_list(list)) {
      // As loops of a shell write them, and mpirun takes them.
      if (word.empty()) continue;
      if (word.front() == '^') {
        leave_out(word, where);
      } else if (word.front() == '+') {
        add_from_pool(word, where);
      } else {
        add_names(word, where);
      }
    }
  }

  HostList take() {
    HostList hosts;
    if (named_.empty() && pool_) {
      hosts = pool_->hosts;
    } else {
      for (Named& named : named_) hosts.push_back(std::move(named.host));
    }
    const auto is_out = [&](const Host& host) { return out_.count(host.name) != 0; };
    hosts.erase(std::remove_if(hosts.begin(), hosts.end(), is_out), hosts.end());
    return hosts;
  }

 private:
  struct Named {
    Host host;
    bool all = false;
  };

  void leave_out(const std::string& word, const std::string& where) {
    if (!pool_)
      throw UserError(where + ": '" + word + "' leaves a host out of nothing", "give a hostfile with -hostfile");
    for (const Host& host : parse_host_word(word.substr(1), where)) {
      find_in_pool(host.name, where);
      out_.insert(host.name);
    }
  }

  // Open MPI's relative names: "+n2" is the third host, "+e" every one, "+e:2" the first two. Nothing runs on them yet.
  void add_from_pool(const std::string& word, const std::string& where) {
    if (!pool_) throw UserError(where + ": '" + word + "' chooses from nothing", "give a hostfile with -hostfile");
    const std::size_t size = pool_->hosts.size();
    std::size_t first = 0;
    std::size_t last = size;
    if (word.rfind("+n", 0) == 0) {
      first = static_cast<std::size_t>(parse_count("+n", word.substr(2), 0, where));
      last = first + 1;
    } else if (word.rfind("+e:", 0) == 0) {
      last = static_cast<std::size_t>(parse_count("+e:", word.substr(3), 1, where));
    } else if (word != "+e") {
      throw UserError(where + ": '" + word + "' is not understood", "write +n0 for the first host, or +e for all");
    }
    if (last > size) {
      throw UserError(where + ": '" + word + "' is beyond the " + std::to_string(size) + " hosts of " + pool_->name,
                      "the first is +n0");
    }
    for (std::size_t i = first; i < last; ++i) add(pool_->hosts[i], true);
  }

  void add_names(std::string word, const std::string& where) {
    bool all = false;
    for (const std::string_view suffix : {":*", ":auto"}) {
      if (word.size() <= suffix.size() || word.compare(word.size() - suffix.size(), suffix.size(), suffix) != 0)
        continue;
      all = true;
      word.erase(word.size() - suffix.size());
    }
    for (Host& host : parse_host_word(word, where)) {
      host.cores_unless_said = all;
      if (pool_) host = with_pool(host, all, where);
      add(std::move(host), all);
    }
  }

  const Host& find_in_pool(const std::string& name, const std::string& where) const {
    const auto found = place_in_pool_.find(name);
    if (found != place_in_pool_.end()) return pool_->hosts[found->second];
    throw UserError(where + ": '" + name + "' is not in " + pool_->name,
                    "there -H says which of its hosts to use; it has " + some_names());
  }

  // mpirun's -H takes the place of the hostfile, and a bare name is one slot (4.1.4, 5.0.7); a host with GPUs is not
  // meant so.
  Host with_pool(const Host& named, bool all, const std::string& where) const {
    Host host = find_in_pool(named.name, where);
    if (named.user) host.user = named.user;
    if (all) return host;
    if (!named.slots) host.slots_with_gpus = host.slots;
    host.slots = named.slots;
    host.slots_without_gpus.reset();
    host.cores_unless_said = false;
    return host;
  }

  std::string some_names() const {
    constexpr std::size_t kShown = 8;
    std::string names;
    for (std::size_t i = 0; i < std::min(pool_->hosts.size(), kShown); ++i) {
      names += (i == 0 ? "" : ", ") + pool_->hosts[i].name;
    }
    return pool_->hosts.size() > kShown ? names + ", …" : names;
  }

  void add(Host host, bool all) {
    const auto [entry, first] = place_.try_emplace(host.name, named_.size());
    if (first) {
      named_.push_back({std::move(host), all});
      return;
    }
    Named& before = named_[entry->second];
    if (before.all) return;
    before.all = all;
    before.host.slots = all ? host.slots : before.host.slots.value_or(1) + host.slots.value_or(1);
  }

  const std::optional<HostPool>& pool_;
  std::unordered_map<std::string, std::size_t> place_in_pool_;
  std::vector<Named> named_;
  std::unordered_map<std::string, std::size_t> place_;
  std::unordered_set<std::string> out_;
};

}  // namespace

HostList choose_hosts(const std::optional<HostPool>& pool, const std::vector<std::string>& lists) {
  if (!pool && lists.empty()) {
    Host here;
    here.name = "localhost";
    here.cores_unless_said = true;
    here.origin = "this host";
    return {here};
  }
  NamedHosts named(pool);
  for (const std::string& list : lists) named.add_list(list);
  HostList hosts = named.take();
  const auto is_idle = [](const Host& host) { return host.slots == 0; };
  hosts.erase(std::remove_if(hosts.begin(), hosts.end(), is_idle), hosts.end());
  if (hosts.empty()) {
    throw UserError("no host is left to use: -H leaves out, or slots=0 empties, all of " +
                        (pool ? pool->name : std::string("them")),
                    "leave a host in, with at least one slot");
  }
  return hosts;
}

}  // namespace ringrun
