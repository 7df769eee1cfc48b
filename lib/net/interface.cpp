#include "lib/net/interface.hpp"

#include <arpa/inet.h>
#include <linux/if_link.h>
#include <net/if.h>

#include <cstring>
#include <map>
#include <utility>

#include "lib/net/ethtool.hpp"
#include "lib/net/netlink.hpp"

namespace ringrun {
namespace {

/// Everything about a link that names others by their index.
struct IndexedInterface {
  int index = 0;
  int master = 0;
  bool loopback = false;
  std::string kind;
  Interface interface;
};

std::string text_of(const rtattr& attribute) {
  const auto* text = static_cast<const char*>(RTA_DATA(&attribute));
  return {text, strnlen(text, RTA_PAYLOAD(&attribute))};
}

int number_of(const rtattr& attribute) {
  std::uint32_t number = 0;
  if (RTA_PAYLOAD(&attribute) >= sizeof number) std::memcpy(&number, RTA_DATA(&attribute), sizeof number);
  return static_cast<int>(number);
}

IndexedInterface read_link(const nlmsghdr& message) {
  const auto* link = static_cast<const ifinfomsg*>(NLMSG_DATA(&message));
  IndexedInterface found;
  found.index = link->ifi_index;
  found.loopback = (link->ifi_flags & IFF_LOOPBACK) != 0;
  found.interface.up = (link->ifi_flags & IFF_UP) != 0 && (link->ifi_flags & IFF_RUNNING) != 0;
  found.interface.point_to_point = (link->ifi_flags & IFF_POINTOPOINT) != 0;
  each_attribute(IFLA_RTA(link), IFLA_PAYLOAD(&message), [&](const rtattr& attribute) {
    // The kernel marks nested lists in the type's upper bits, newer ones always.
    switch (attribute.rta_type & NLA_TYPE_MASK) {
      case IFLA_IFNAME:
        found.interface.name = text_of(attribute);
        break;
      case IFLA_MTU:
        found.interface.mtu = number_of(attribute);
        break;
      case IFLA_MASTER:
        found.master = number_of(attribute);
        break;
      case IFLA_LINKINFO:
        each_attribute(static_cast<const rtattr*>(RTA_DATA(&attribute)), RTA_PAYLOAD(&attribute),
                       [&](const rtattr& inner) {
                         if ((inner.rta_type & NLA_TYPE_MASK) == IFLA_INFO_KIND) found.kind = text_of(inner);
                       });
        break;
      default:
        break;
    }
  });
  return found;
}

/// Sandboxes keep the kind to themselves, but their drivers' names tell it.
InterfaceKind kind_of(const IndexedInterface& found) {
  if (found.loopback) return InterfaceKind::loopback;
  static const std::map<std::string, InterfaceKind> kinds = {
      {"bridge", InterfaceKind::bridge},
      {"veth", InterfaceKind::veth},
      {"tun", InterfaceKind::tun},
      {"wireguard", InterfaceKind::tun},
      // Overlays: slower than the card below them, and often of one container engine alone.
      {"vxlan", InterfaceKind::tun},
      {"geneve", InterfaceKind::tun},
      {"ipip", InterfaceKind::tun},
      {"sit", InterfaceKind::tun},
      {"gre", InterfaceKind::tun},
      {"gretap", InterfaceKind::tun},
      {"ip6tnl", InterfaceKind::tun},
      {"ip6gre", InterfaceKind::tun},
      {"ip6gretap", InterfaceKind::tun},
      {"vti", InterfaceKind::tun},
      {"xfrm", InterfaceKind::tun},
      {"vlan", InterfaceKind::vlan},
      {"bond", InterfaceKind::bond},
      {"bonding", InterfaceKind::bond},
      {"team", InterfaceKind::bond},
      // Network cards that speak InfiniBand have a kind, though they are hardware.
      {"ipoib", InterfaceKind::hardware},
  };
  if (const auto known = kinds.find(found.kind); known != kinds.end()) return known->second;
  if (!found.kind.empty()) return InterfaceKind::other;
  const auto known = kinds.find(found.interface.driver);
  return known == kinds.end() ? InterfaceKind::hardware : known->second;
}

void add_address(const nlmsghdr& message, std::vector<IndexedInterface>& interfaces) {
  const auto* address = static_cast<const ifaddrmsg*>(NLMSG_DATA(&message));
  const rtattr* own = nullptr;
  each_attribute(IFA_RTA(address), IFA_PAYLOAD(&message), [&](const rtattr& attribute) {
    // On a point-to-point link IFA_ADDRESS is the peer's; IPv6 has no IFA_LOCAL elsewhere.
    if (attribute.rta_type == IFA_LOCAL || (attribute.rta_type == IFA_ADDRESS && own == nullptr)) own = &attribute;
  });
  const std::size_t size = address->ifa_family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  if ((address->ifa_family != AF_INET && address->ifa_family != AF_INET6) || own == nullptr ||
      RTA_PAYLOAD(own) < size) {
    return;
  }
  char text[INET6_ADDRSTRLEN] = "";
  if (inet_ntop(address->ifa_family, RTA_DATA(own), text, sizeof text) == nullptr) return;
  for (IndexedInterface& found : interfaces) {
    if (found.index != static_cast<int>(address->ifa_index)) continue;
    auto& list = address->ifa_family == AF_INET ? found.interface.ipv4 : found.interface.ipv6;
    list.push_back({text, address->ifa_prefixlen});
  }
}

}  // namespace

std::vector<Interface> read_interfaces() {
  std::vector<IndexedInterface> found;
  dump_netlink(RTM_GETLINK, [&](const nlmsghdr& message) {
    if (message.nlmsg_type == RTM_NEWLINK) found.push_back(read_link(message));
  });
  dump_netlink(RTM_GETADDR, [&](const nlmsghdr& message) {
    if (message.nlmsg_type == RTM_NEWADDR) add_address(message, found);
  });
  std::map<int, std::string> names;
  for (const IndexedInterface& one : found) names[one.index] = one.interface.name;
  std::vector<Interface> interfaces;
  for (IndexedInterface& one : found) {
    DriverWords words = ask_driver(one.interface.name);
    one.interface.driver = std::move(words.driver);
    one.interface.pci_bus_id = std::move(words.pci_bus_id);
    one.interface.speed = words.speed;
    one.interface.kind = kind_of(one);
    if (const auto master = names.find(one.master); master != names.end()) one.interface.master = master->second;
    interfaces.push_back(std::move(one.interface));
  }
  return interfaces;
}

}  // namespace ringrun
