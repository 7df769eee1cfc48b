#include "worker/ceiling/port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "lib/host/host_file.hpp"

namespace ringrun::worker {
namespace {

namespace fs = std::filesystem;

constexpr double kBytesOfGigabit = 1e9 / 8;
/// A port with less than this share of the busiest one's bytes carries something else.
constexpr double kShareOfBusiest = 0.1;

double number_in(const fs::path& file) { return std::strtod(read_word(file).c_str(), nullptr); }

/// Ethernet's preamble, header, checksum and gap are 38 bytes; those of IPv4, TCP and its timestamps 52 of the MTU.
double tcp_share(int mtu) {
  constexpr int kFrame = 38;
  constexpr int kHeaders = 52;
  return mtu <= kHeaders ? 0 : static_cast<double>(mtu - kHeaders) / (mtu + kFrame);
}

/// Headers and acknowledgements of 4 KiB packets leave this; perftest's ib_write_bw reaches about as much.
constexpr double kRdmaShare = 0.97;

bool is_virtual(const Interface& interface) {
  return interface.kind == InterfaceKind::veth || interface.kind == InterfaceKind::tun ||
         interface.kind == InterfaceKind::bridge || interface.driver == "virtio_net";
}

Port port_of(const Interface& interface) {
  Port port{interface.name, 0, "its driver says no rate", is_virtual(interface)};
  if (interface.speed <= 0) return port;
  port.bandwidth = interface.speed / 1e3 * kBytesOfGigabit * tcp_share(interface.mtu);
  port.rate = fmt::format("{:g} Gb/s, TCP at MTU {}", interface.speed / 1e3, interface.mtu);
  return port;
}

Port port_of(const InfinibandDevice& device) {
  Port port{device.name, 0, "its driver says no rate", false};
  if (device.rate <= 0) return port;
  port.bandwidth = device.rate * kBytesOfGigabit * kRdmaShare;
  port.rate = fmt::format("{} Gb/s, {}", device.rate, device.ethernet ? "RoCE" : "InfiniBand");
  return port;
}

/// How far from the wire: what passes a bond or a VLAN passes a card too.
int distance(const Interface& interface) {
  switch (interface.kind) {
    case InterfaceKind::hardware:
      return 0;
    case InterfaceKind::veth:
      return 1;
    default:
      return 2;
  }
}

}  // namespace

PortCounters read_port_counters(const fs::path& root) {
  PortCounters counters;
  for (const std::string& line : read_lines(host_path(root, "/proc/self/net/dev"))) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name(trimmed(std::string_view(line).substr(0, colon)));
    std::istringstream fields(line.substr(colon + 1));
    double received = 0, sent = 0, other = 0;
    fields >> received;
    for (int i = 0; i < 7; ++i) fields >> other;
    fields >> sent;
    if (fields && name != "lo") counters[name] = std::max(received, sent);
  }
  for (const fs::path& device : entries(host_path(root, "/sys/class/infiniband"))) {
    double most = 0;
    for (const fs::path& port : entries(device / "ports")) {
      constexpr double kBytesOfCount = 4;  // InfiniBand counts data in words
      for (const char* counter : {"port_xmit_data", "port_rcv_data"})
        most = std::max(most, kBytesOfCount * number_in(port / "counters" / counter));
    }
    counters[device.filename().string()] = most;
  }
  return counters;
}

std::vector<Port> ports_in_use(const PortCounters& before, const PortCounters& after, double least_bytes,
                               const std::vector<Interface>& interfaces, const FabricFacts& fabric) {
  const auto carried = [&](const std::string& name) {
    const auto then = before.find(name);
    const auto now = after.find(name);
    return then == before.end() || now == after.end() ? 0 : now->second - then->second;
  };
  double busiest = 0;
  for (const auto& [name, bytes] : after) busiest = std::max(busiest, carried(name));
  if (busiest <= 0) return {};
  const auto is_busy = [&](const std::string& name) { return carried(name) >= kShareOfBusiest * busiest; };

  std::vector<Port> ports;
  double seen = 0;
  for (const InfinibandDevice& device : fabric.infiniband) {
    if (!is_busy(device.name)) continue;
    ports.push_back(port_of(device));
    seen += carried(device.name);
  }
  // The bytes of IP over InfiniBand are counted on the card too, and are no others.
  if (seen >= least_bytes / 2 && !ports.empty()) return ports;
  ports.clear();
  seen = 0;
  int nearest = 2;
  for (const Interface& interface : interfaces) {
    if (is_busy(interface.name)) nearest = std::min(nearest, distance(interface));
  }
  for (const Interface& interface : interfaces) {
    if (!is_busy(interface.name) || distance(interface) != nearest) continue;
    ports.push_back(port_of(interface));
    seen += carried(interface.name);
  }
  return seen >= least_bytes / 2 ? ports : std::vector<Port>();
}

}  // namespace ringrun::worker
