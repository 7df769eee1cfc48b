#include "lib/net/ethtool.hpp"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <climits>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lib/net/interface.hpp"
#include "lib/net/socket_address.hpp"

namespace ringrun {
namespace {

bool ask(int descriptor, const std::string& interface, void* command) {
  ifreq request{};
  if (interface.size() >= sizeof request.ifr_name) return false;
  std::memcpy(request.ifr_name, interface.c_str(), interface.size() + 1);
  request.ifr_data = static_cast<char*>(command);
  return ioctl(descriptor, SIOCETHTOOL, &request) == 0;
}

int known_speed(std::uint32_t speed) {
  return speed == 0 || speed > static_cast<std::uint32_t>(INT_MAX) ? -1 : static_cast<int>(speed);
}

/// The newer question, whose answer grows with the kernel's list of link modes: it is asked first for that length.
int link_speed(int descriptor, const std::string& interface) {
  // Three masks of at most 127 words follow the settings.
  std::vector<std::uint32_t> room(sizeof(ethtool_link_settings) / sizeof(std::uint32_t) + 3 * 127);
  auto* answer = reinterpret_cast<ethtool_link_settings*>(room.data());
  answer->cmd = ETHTOOL_GLINKSETTINGS;
  if (ask(descriptor, interface, answer) && answer->link_mode_masks_nwords < 0) {
    answer->cmd = ETHTOOL_GLINKSETTINGS;
    answer->link_mode_masks_nwords = static_cast<std::int8_t>(-answer->link_mode_masks_nwords);
    if (ask(descriptor, interface, answer)) return known_speed(answer->speed);
  }
  ethtool_cmd old{};
  old.cmd = ETHTOOL_GSET;
  if (!ask(descriptor, interface, &old)) return -1;
  return old.speed == UINT16_MAX && old.speed_hi == UINT16_MAX ? -1 : known_speed(ethtool_cmd_speed(&old));
}

std::string text_of(const char* text, std::size_t size) { return {text, strnlen(text, size)}; }

}  // namespace

DriverWords ask_driver(const std::string& interface) {
  DriverWords words;
  const Socket socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return words;
  ethtool_drvinfo driver{};
  driver.cmd = ETHTOOL_GDRVINFO;
  if (ask(socket.get(), interface, &driver)) {
    words.driver = text_of(driver.driver, sizeof driver.driver);
    const std::string bus = text_of(driver.bus_info, sizeof driver.bus_info);
    if (read_pci_address(bus)) words.pci_bus_id = bus;
  }
  words.speed = link_speed(socket.get(), interface);
  return words;
}

}  // namespace ringrun
