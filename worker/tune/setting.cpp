#include "worker/tune/setting.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ringrun::worker {
namespace {

constexpr const char* kThreads = "NCCL_SOCKET_NTHREADS";
constexpr const char* kSockets = "NCCL_NSOCKS_PERTHREAD";
constexpr const char* kQueuePairs = "NCCL_IB_QPS_PER_CONNECTION";
constexpr const char* kSplitData = "NCCL_IB_SPLIT_DATA_ON_QPS";
/// Each alone; more would take the time that the others need.
constexpr std::size_t kMostCards = 4;

std::string value_now(const TunedHost& host, const std::string& name) {
  const auto set = host.environment.find(name);
  return set == host.environment.end() ? "" : set->second;
}

bool is_as_it_is(const TunedSetting& setting, const std::vector<TunedHost>& hosts) {
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    for (const TunedVariable& variable : setting.variables)
      if (value_now(hosts[host], variable.name) != variable.value_on(host)) return false;
  }
  return true;
}

std::vector<TunedSetting> without_present_ones(std::vector<TunedSetting> settings,
                                               const std::vector<TunedHost>& hosts) {
  settings.erase(std::remove_if(settings.begin(), settings.end(),
                                [&](const TunedSetting& setting) { return is_as_it_is(setting, hosts); }),
                 settings.end());
  return settings;
}

TunedVariable variable_of(const char* name, std::vector<std::string> values) {
  const bool alike = std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
  if (alike) values.resize(1);
  return {name, std::move(values)};
}

/// One setting for each network that all hosts have a card in, where there are several.
std::vector<TunedSetting> single_networks(const std::vector<TunedHost>& hosts) {
  std::vector<TunedSetting> settings;
  for (const TunedHost::Card& of_first : hosts.front().cards) {
    std::vector<std::string> values;
    for (const TunedHost& host : hosts) {
      const auto card = std::find_if(host.cards.begin(), host.cards.end(), [&](const TunedHost::Card& candidate) {
        return candidate.network == of_first.network;
      });
      if (card != host.cards.end()) values.push_back("=" + card->name);
    }
    if (values.size() == hosts.size()) settings.push_back({{variable_of("NCCL_SOCKET_IFNAME", values)}});
  }
  if (settings.size() < 2) return {};
  settings.resize(std::min(settings.size(), kMostCards));
  return settings;
}

std::vector<TunedSetting> single_hcas(const std::vector<TunedHost>& hosts) {
  const std::size_t count = hosts.front().hcas.size();
  const bool alike =
      std::all_of(hosts.begin(), hosts.end(), [&](const TunedHost& host) { return host.hcas.size() == count; });
  std::vector<TunedSetting> settings;
  if (!alike || count < 2) return settings;
  for (std::size_t i = 0; i < std::min(count, kMostCards); ++i) {
    std::vector<std::string> values;
    for (const TunedHost& host : hosts) values.push_back("=" + host.hcas[i]);
    settings.push_back({{variable_of("NCCL_IB_HCA", values)}});
  }
  return settings;
}

bool is_same_everywhere(const TunedVariable& variable) { return variable.values.size() == 1; }

/// `form` makes a word of a name and a value; the words of every host, then those of each.
template <typename Form>
std::vector<PlacedLine> lines_of(const TunedSetting& setting, const std::vector<TunedHost>& hosts,
                                 const std::string& begin, Form form) {
  std::vector<PlacedLine> lines;
  const auto add = [&](const std::string& host, const auto& value) {
    std::string line = begin;
    for (const TunedVariable& variable : setting.variables) {
      if (is_same_everywhere(variable) != host.empty()) continue;
      line += (line.empty() ? "" : " ") + form(variable.name, value(variable), host);
    }
    if (line != begin) lines.push_back({host, line});
  };
  add("", [](const TunedVariable& variable) { return variable.values.front(); });
  for (std::size_t host = 0; host < hosts.size(); ++host)
    add(hosts[host].name, [&](const TunedVariable& variable) { return variable.value_on(host); });
  return lines;
}

}  // namespace

std::vector<std::string> chosen_hcas(const std::vector<std::string>& devices, const std::string& ib_hca) {
  std::string list = ib_hca;
  const bool excludes = !list.empty() && list.front() == '^';
  if (excludes) list.erase(0, 1);
  const bool exact = !list.empty() && list.front() == '=';
  if (exact) list.erase(0, 1);
  if (list.empty()) return devices;
  const auto is_named = [&](const std::string& device) {
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      std::string name = list.substr(begin, end - begin);
      name.resize(std::min(name.find(':'), name.size()));
      if (exact ? device == name : device.compare(0, name.size(), name) == 0) return true;
      begin = end + 1;
    }
    return false;
  };
  std::vector<std::string> chosen;
  for (const std::string& device : devices)
    if (is_named(device) != excludes) chosen.push_back(device);
  return chosen;
}

std::vector<TunedSetting> socket_settings(const std::vector<TunedHost>& hosts) {
  std::vector<TunedSetting> settings = single_networks(hosts);
  // Few numbers: that a helper thread is named at all matters most (NCCL's own default has none but on some clouds).
  for (const auto& [threads, sockets] : {std::pair("2", "4"), std::pair("1", "1"), std::pair("2", "1"),
                                         std::pair("1", "2"), std::pair("4", "4"), std::pair("", "")}) {
    settings.push_back({{{kThreads, {threads}}, {kSockets, {sockets}}}});
  }
  return without_present_ones(std::move(settings), hosts);
}

std::vector<TunedSetting> infiniband_settings(const std::vector<TunedHost>& hosts) {
  std::vector<TunedSetting> settings = single_hcas(hosts);
  for (const auto& [pairs, split] :
       {std::pair("2", "0"), std::pair("4", "0"), std::pair("2", "1"), std::pair("4", "1"), std::pair("", "")}) {
    settings.push_back({{{kQueuePairs, {pairs}}, {kSplitData, {split}}}});
  }
  return without_present_ones(std::move(settings), hosts);
}

std::string text_of(const TunedSetting& setting, const std::vector<TunedHost>& hosts) {
  if (setting.variables.empty()) return "as it is";
  std::string text;
  for (const TunedVariable& variable : setting.variables) {
    text += fmt::format("{}{}=", text.empty() ? "" : " ", variable.name);
    if (is_same_everywhere(variable)) {
      text += variable.values.front();
      continue;
    }
    for (std::size_t host = 0; host < hosts.size(); ++host)
      text += fmt::format("{}{} on {}", host == 0 ? "" : ", ", variable.value_on(host), hosts[host].name);
  }
  return text;
}

std::vector<PlacedLine> hostfile_lines(const TunedSetting& setting, const std::vector<TunedHost>& hosts) {
  return lines_of(setting, hosts, "#:", [](const std::string& name, const std::string& value, const std::string&) {
    return "env." + name + "=" + value;
  });
}

std::vector<PlacedLine> mpirun_lines(const TunedSetting& setting, const std::vector<TunedHost>& hosts) {
  return lines_of(setting, hosts, "", [](const std::string& name, const std::string& value, const std::string& host) {
    return (host.empty() ? "-x " : "") + name + "=" + value;
  });
}

}  // namespace ringrun::worker
