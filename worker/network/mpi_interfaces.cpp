#include "worker/network/mpi_interfaces.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "lib/host/configuration_facts.hpp"
#include "lib/host/host_name.hpp"
#include "lib/mpi/launch_environment.hpp"
#include "worker/network/launcher_connection.hpp"

namespace ringrun::worker {
namespace {

constexpr const char* kInclude = "btl_tcp_if_include";
constexpr const char* kExclude = "btl_tcp_if_exclude";

/// MPI does not look at link-local IPv6 addresses, which every interface has.
bool has_address(const Interface& interface) {
  return !interface.ipv4.empty() ||
         std::any_of(interface.ipv6.begin(), interface.ipv6.end(),
                     [](const InterfaceAddress& address) { return address.ip.rfind("fe80", 0) != 0; });
}

bool carries(const Interface& interface, const std::vector<std::string>& addresses) {
  const auto is_named = [&](const InterfaceAddress& own) {
    return std::find(addresses.begin(), addresses.end(), own.ip) != addresses.end();
  };
  return std::any_of(interface.ipv4.begin(), interface.ipv4.end(), is_named) ||
         std::any_of(interface.ipv6.begin(), interface.ipv6.end(), is_named);
}

constexpr const char* kExcludeVariable = "OMPI_MCA_btl_tcp_if_exclude";

/// What this process set its own kExcludeVariable to, "" for nothing.
std::string& own_exclusion() {
  static std::string value;
  return value;
}

bool in_a_file(const ConfigurationFacts& configuration, const char* parameter) {
  return std::any_of(configuration.mca_files.begin(), configuration.mca_files.end(),
                     [&](const auto& file) { return file.second.count(parameter) != 0; });
}

}  // namespace

std::vector<std::string> dead_ends(const std::vector<Interface>& interfaces, const std::vector<std::string>& in_use) {
  std::vector<std::string> names;
  bool is_one_left = false;
  for (const Interface& interface : interfaces) {
    if (interface.kind == InterfaceKind::loopback || !has_address(interface)) continue;
    const bool leads = leads_outside(interface) || is_bridge_of_a_card(interface, interfaces);
    if (leads || carries(interface, in_use)) {
      is_one_left = true;
    } else {
      names.push_back(interface.name);
    }
  }
  return is_one_left ? names : std::vector<std::string>();
}

std::string exclude_parameter(const std::vector<std::string>& names) {
  std::string value = "127.0.0.1/8,sppp";
  for (const std::string& name : names) value += "," + name;
  return value;
}

bool chooses_mpi_interfaces(const ConfigurationFacts& configuration) {
  const auto in_environment = [&](const char* parameter) {
    return configuration.environment.count(std::string("OMPI_MCA_") + parameter) != 0;
  };
  return in_environment(kInclude) || in_environment(kExclude) || in_a_file(configuration, kInclude) ||
         in_a_file(configuration, kExclude);
}

std::vector<std::string> keep_mpi_off_dead_ends() noexcept {
  try {
    const auto launch = mpi::launch_environment();
    // What ringrun sets is a choice like a user's; where it was told not to look, this helps all the same.
    if (!launch.may_span_hosts()) return {};
    if (chooses_mpi_interfaces(read_configuration_facts(process_environment(), host_name()))) return {};
    const auto names = dead_ends(read_interfaces(), addresses_towards_launcher());
    if (names.empty()) return {};
    own_exclusion() = exclude_parameter(names);
    setenv(kExcludeVariable, own_exclusion().c_str(), 0);
    return names;
  } catch (const std::exception&) {
    return {};
  }
}

void forget_own_exclusion(ConfigurationFacts& configuration) {
  const auto found = configuration.environment.find(kExcludeVariable);
  if (found == configuration.environment.end() || own_exclusion().empty()) return;
  if (found->second == own_exclusion()) configuration.environment.erase(found);
}

}  // namespace ringrun::worker
