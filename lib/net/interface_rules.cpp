#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "lib/net/interface.hpp"

namespace ringrun {
namespace {

std::optional<std::uint32_t> ipv4_number(const std::string& ip) {
  in_addr address{};
  if (inet_pton(AF_INET, ip.c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::uint32_t ipv4_mask(int prefix) {
  const int length = std::clamp(prefix, 0, 32);
  return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length);
}

/// The part of "0000:4e:00.0" up to `end`, as hexadecimal digits; `text` is left behind it.
bool take_number(std::string_view& text, char end, unsigned& number) {
  const std::size_t length = end == '\0' ? text.size() : text.find(end);
  if (length == 0 || length == std::string_view::npos) return false;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + length, number, 16);
  if (error != std::errc{} || stop != text.data() + length) return false;
  text.remove_prefix(end == '\0' ? length : length + 1);
  return true;
}

/// Whether there is more behind the interface than this host, bridges apart.
bool has_way(const Interface& interface) {
  if (!interface.up || !interface.master.empty() || interface.kind == InterfaceKind::loopback) return false;
  return std::any_of(interface.ipv4.begin(), interface.ipv4.end(), [&](const InterfaceAddress& address) {
    const bool lone = interface.kind == InterfaceKind::tun && address.prefix == 32;
    return !lone && !contains({"169.254.0.0", 16}, address.ip);
  });
}

}  // namespace

std::string network_of(const InterfaceAddress& address) {
  std::array<std::uint8_t, sizeof(in6_addr)> bytes{};
  const int family = address.ip.find(':') == std::string::npos ? AF_INET : AF_INET6;
  if (inet_pton(family, address.ip.c_str(), bytes.data()) != 1) return "";
  const int bits = family == AF_INET ? 32 : 128;
  const int prefix = std::clamp(address.prefix, 0, bits);
  for (int bit = prefix; bit < bits; ++bit) {
    auto& byte = bytes.at(static_cast<std::size_t>(bit / 8));
    byte = static_cast<std::uint8_t>(byte & ~(0x80 >> (bit % 8)));
  }
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(family, bytes.data(), text, sizeof text);
  return std::string(text) + "/" + std::to_string(prefix);
}

bool contains(const InterfaceAddress& address, const std::string& ip) {
  const auto own = ipv4_number(address.ip);
  const auto other = ipv4_number(ip);
  return own && other && ((*own ^ *other) & ipv4_mask(address.prefix)) == 0;
}

const Interface* find_address(const std::vector<Interface>& interfaces, const std::string& ip) {
  const auto has = [&](const std::vector<InterfaceAddress>& list) {
    return std::any_of(list.begin(), list.end(), [&](const InterfaceAddress& address) { return address.ip == ip; });
  };
  const auto found = std::find_if(interfaces.begin(), interfaces.end(), [&](const Interface& interface) {
    return has(interface.ipv4) || has(interface.ipv6);
  });
  return found == interfaces.end() ? nullptr : &*found;
}

bool is_bridge_of_a_card(const Interface& interface, const std::vector<Interface>& all, const std::string& named) {
  if (interface.kind != InterfaceKind::bridge) return false;
  const bool is_named = !named.empty() && find_address({interface}, named) != nullptr;
  return std::any_of(all.begin(), all.end(), [&](const Interface& port) {
    if (port.master != interface.name) return false;
    return port.kind == InterfaceKind::hardware || port.kind == InterfaceKind::bond ||
           port.kind == InterfaceKind::vlan || (is_named && port.kind == InterfaceKind::veth);
  });
}

bool leads_outside(const Interface& interface) { return interface.kind != InterfaceKind::bridge && has_way(interface); }

bool leads_outside(const Interface& interface, const std::vector<Interface>& all, const std::string& named) {
  return leads_outside(interface) || (is_bridge_of_a_card(interface, all, named) && has_way(interface));
}

std::optional<PciAddress> read_pci_address(std::string_view text) {
  PciAddress address;
  if (!take_number(text, ':', address.domain) || !take_number(text, ':', address.bus) ||
      !take_number(text, '.', address.device) || !take_number(text, '\0', address.function)) {
    return std::nullopt;
  }
  return address;
}

}  // namespace ringrun
