#include "launcher/probe/local_names.hpp"

#include <chrono>
#include <set>

#include "launcher/probe/address_lookup.hpp"
#include "lib/host/host_name.hpp"
#include "lib/net/interface.hpp"

namespace ringrun {
namespace {

/// A name server that is gone must not hold the launch up: hosts are reached by names that ssh alone knows, too.
constexpr std::chrono::seconds kPatience(5);

std::set<std::string> own_addresses() {
  std::set<std::string> addresses;
  for (const Interface& interface : read_interfaces()) {
    for (const auto* list : {&interface.ipv4, &interface.ipv6}) {
      for (const InterfaceAddress& address : *list) addresses.insert(address.ip);
    }
  }
  return addresses;
}

bool is_own_name(const std::string& name) {
  const std::string hostname = host_name();
  return name == "localhost" || name == hostname || name == hostname.substr(0, hostname.find('.'));
}

}  // namespace

std::vector<ResolvedName> resolve_names(const std::vector<std::string>& names, bool by_name_server) {
  std::vector<std::vector<std::string>> addresses;
  std::vector<std::string> asked;
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    addresses.push_back(read_numeric(name));
    // The resolver would look there first as well, but behind names that nobody answers for.
    if (addresses.back().empty()) addresses.back() = read_hosts_file("/etc/hosts", name);
    if (!by_name_server || name == "localhost" || !addresses.back().empty()) continue;
    asked.push_back(name);
    places.push_back(addresses.size() - 1);
  }
  std::vector<std::vector<std::string>> found = look_up(asked, ask_resolver, kPatience);
  for (std::size_t i = 0; i < asked.size(); ++i) addresses[places[i]] = std::move(found[i]);

  const std::set<std::string> own = own_addresses();
  std::vector<ResolvedName> results;
  for (std::size_t i = 0; i < names.size(); ++i) {
    ResolvedName result{is_own_name(names[i]), ""};
    for (const std::string& address : addresses[i]) {
      result.local = result.local || own.count(address) != 0;
      // IPv4 first: it is what the other hosts of a mixed network share.
      if (result.address.empty() ||
          (result.address.find(':') != std::string::npos && address.find(':') == std::string::npos)) {
        result.address = address;
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace ringrun
