#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// As the kernel names the kind of a link; a link without a kind is hardware (or a virtual machine's idea of it). Every
/// overlay (vxlan, ipip, wireguard, …) is a tun here: it goes over another interface.
enum class InterfaceKind { hardware, loopback, bridge, veth, tun, vlan, bond, other };

/// An address with the length of its network's prefix: "192.168.1.5", 24.
struct InterfaceAddress {
  std::string ip;
  int prefix = 0;
  bool operator==(const InterfaceAddress&) const = default;
};

/// A network interface of this host.
struct Interface {
  std::string name;
  InterfaceKind kind = InterfaceKind::hardware;
  /// Up, and its peer or cable too.
  bool up = false;
  bool point_to_point = false;
  /// Of the bridge or bond that it is a port of, "" for none.
  std::string master;
  /// The driver's name as ethtool gives it, "" where it gives none.
  std::string driver;
  /// "0000:4e:00.0", "" where it is no PCI device.
  std::string pci_bus_id;
  /// Bytes of the largest IP packet.
  int mtu = 0;
  /// Mb/s, -1 where the driver does not say.
  int speed = -1;
  /// In the kernel's order: NCCL takes the first.
  std::vector<InterfaceAddress> ipv4;
  std::vector<InterfaceAddress> ipv6;
  bool operator==(const Interface&) const = default;
};

/// Every interface of this network namespace, in the kernel's order, by rtnetlink and ethtool: /sys may belong to
/// another namespace. Throws SystemError.
std::vector<Interface> read_interfaces();

/// The network of an address, "192.168.1.0/24".
std::string network_of(const InterfaceAddress& address);

/// True where `ip` lies in the network of `address`. IPv4 only.
bool contains(const InterfaceAddress& address, const std::string& ip);

/// The interface that carries this address, nullptr for none.
const Interface* find_address(const std::vector<Interface>& interfaces, const std::string& ip);

/// A bridge that has the host's own card among its ports (br0, vmbr0), so that its address is the host's. A veth port
/// proves that only where the bridge carries `named`, the address by which others name the host: docker's bridge has
/// the containers' ends for ports.
bool is_bridge_of_a_card(const Interface& interface, const std::vector<Interface>& all, const std::string& named = "");

/// False for an interface that does not by itself lead to another host: one that is down, loopback, bridges, ports of
/// bridges and bonds, tun devices with a /32, and those without an IPv4 address that is not link-local
/// (169.254). A veth end without a master is a container's way outside.
bool leads_outside(const Interface& interface);

/// The same, but a bridge of a card leads outside too. `all` are the host's interfaces.
bool leads_outside(const Interface& interface, const std::vector<Interface>& all, const std::string& named = "");

/// Where a card sits.
struct PciAddress {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned function = 0;
};

/// Reads "0000:4e:00.0", or NVML's "00000000:4E:00.0". Unset where the text is something else ("usb-…", say).
std::optional<PciAddress> read_pci_address(std::string_view text);

}  // namespace ringrun
