#include "lib/net/nccl_interface.hpp"

#include <algorithm>
#include <sstream>

namespace ringrun {
namespace {

/// One value of NCCL_SOCKET_IFNAME, taken apart.
struct NamePattern {
  bool excludes = false;
  bool exact = false;
  std::vector<std::string> names;
};

NamePattern read_pattern(std::string text) {
  NamePattern pattern;
  if (!text.empty() && text.front() == '^') {
    pattern.excludes = true;
    text.erase(0, 1);
  }
  if (!text.empty() && text.front() == '=') {
    pattern.exact = true;
    text.erase(0, 1);
  }
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, ',');) {
    if (!name.empty()) pattern.names.push_back(name);
  }
  return pattern;
}

bool takes(const NamePattern& pattern, const std::string& name) {
  // NCCL's rule: a list without names fits every interface.
  const bool fits =
      pattern.names.empty() || std::any_of(pattern.names.begin(), pattern.names.end(), [&](const std::string& wanted) {
        return pattern.exact ? name == wanted : name.rfind(wanted, 0) == 0;
      });
  return fits != pattern.excludes;
}

/// As getifaddrs lists them: all IPv4 addresses before the first of IPv6.
std::vector<const Interface*> usable(const std::vector<Interface>& interfaces, const std::string& family) {
  std::vector<const Interface*> list;
  for (const Interface& interface : interfaces) {
    if (interface.up && family != "AF_INET6" && !interface.ipv4.empty()) list.push_back(&interface);
  }
  for (const Interface& interface : interfaces) {
    const bool has = std::any_of(interface.ipv6.begin(), interface.ipv6.end(),
                                 [](const InterfaceAddress& address) { return address.ip != "::1"; });
    const bool listed = std::find(list.begin(), list.end(), &interface) != list.end();
    if (interface.up && family != "AF_INET" && has && !listed) list.push_back(&interface);
  }
  return list;
}

std::vector<const Interface*> select(const std::vector<const Interface*>& list, const std::string& pattern_text) {
  const NamePattern pattern = read_pattern(pattern_text);
  std::vector<const Interface*> selected;
  std::copy_if(list.begin(), list.end(), std::back_inserter(selected),
               [&](const Interface* interface) { return takes(pattern, interface->name); });
  return selected;
}

/// A value of one character counts as unset for NCCL.
bool is_set(const std::string& socket_ifname) { return socket_ifname.size() > 1; }

}  // namespace

bool takes_interface(const std::string& socket_ifname, const std::string& name) {
  return !is_set(socket_ifname) || takes(read_pattern(socket_ifname), name);
}

std::vector<const Interface*> nccl_interfaces(const std::vector<Interface>& interfaces,
                                              const std::optional<std::string>& socket_ifname,
                                              const std::string& family) {
  const std::vector<const Interface*> list = usable(interfaces, family);
  if (socket_ifname && is_set(*socket_ifname)) return select(list, *socket_ifname);
  for (const char* pattern : {"ib", "^docker,lo,virbr", "docker", "lo", "virbr"}) {
    if (auto selected = select(list, pattern); !selected.empty()) return selected;
  }
  return {};
}

}  // namespace ringrun
