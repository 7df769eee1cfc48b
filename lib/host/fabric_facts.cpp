#include "lib/host/fabric_facts.hpp"

#include <algorithm>
#include <charconv>

#include "lib/host/host_file.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

/// "100 Gb/sec (4X EDR)" as 100.
int leading_number(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_set(const std::string& gid) { return gid.find_first_not_of("0:") != std::string::npos; }

/// RoCE v1 stays within one Ethernet segment. Empty entries of the table have no type that could be read.
bool has_routable_gid(const fs::path& port) {
  for (const fs::path& entry : entries(port / "gids")) {
    if (!is_set(read_word(entry))) continue;
    if (read_word(port / "gid_attrs/types" / entry.filename()) == "RoCE v2") return true;
  }
  return false;
}

InfinibandDevice read_device(const fs::path& folder) {
  InfinibandDevice device;
  device.name = folder.filename().string();
  std::error_code error;
  device.pci_bus_id = fs::read_symlink(folder / "device", error).filename().string();
  for (const fs::path& port : entries(folder / "ports")) {
    const bool active = read_word(port / "state").rfind("4:", 0) == 0;
    if (device.active && !active) continue;
    // What a port that is down said counts no more beside one that is up.
    if (active && !device.active) {
      device.rate = 0;
      device.routable_gid = false;
      device.port = leading_number(port.filename().string());
    }
    device.active = active;
    device.ethernet = read_word(port / "link_layer") == "Ethernet";
    device.rate = std::max(device.rate, leading_number(read_word(port / "rate")));
    device.routable_gid = device.routable_gid || !device.ethernet || has_routable_gid(port);
  }
  return device;
}

}  // namespace

FabricFacts read_fabric_facts(const fs::path& root) {
  FabricFacts facts;
  for (const fs::path& folder : entries(host_path(root, "/sys/class/infiniband"))) {
    facts.infiniband.push_back(read_device(folder));
  }
  for (const std::string& line : read_lines(host_path(root, "/proc/modules"))) {
    const std::string name = line.substr(0, line.find(' '));
    if (name == "nvidia_peermem" || name == "nv_peer_mem") facts.peermem = true;
  }
  return facts;
}

}  // namespace ringrun
