#include "lib/host/interfaces.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "lib/error.hpp"
#include "lib/unique_handle.hpp"

namespace ringrun {
namespace {

struct AddressListTraits {
  using Handle = ifaddrs*;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle list) noexcept { freeifaddrs(list); }
};

}  // namespace

std::vector<Interface> read_interfaces() {
  ifaddrs* raw = nullptr;
  if (getifaddrs(&raw) != 0) throw SystemError("getifaddrs", std::strerror(errno), errno);
  const UniqueHandle<AddressListTraits> list(raw);
  std::vector<Interface> interfaces;
  for (const ifaddrs* entry = raw; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in address{};
    std::memcpy(&address, entry->ifa_addr, sizeof address);
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    interfaces.push_back({entry->ifa_name, text,
                          (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_RUNNING) != 0,
                          (entry->ifa_flags & IFF_LOOPBACK) != 0});
  }
  return interfaces;
}

bool leads_outside(const Interface& interface) {
  static constexpr std::array kInner = {"docker", "br-", "virbr", "veth", "cni", "flannel", "lxcbr", "podman"};
  if (!interface.up || interface.loopback) return false;
  return std::none_of(kInner.begin(), kInner.end(),
                      [&](const char* prefix) { return interface.name.rfind(prefix, 0) == 0; });
}

}  // namespace ringrun
