#pragma once

#include <string>

namespace ringrun {

/// What a network driver says of itself; what it does not say stays as it is here.
struct DriverWords {
  std::string driver;
  /// "0000:4e:00.0", "" where it is no PCI device.
  std::string pci_bus_id;
  /// Mb/s, -1 where unknown.
  int speed = -1;
};

/// Asks the driver of an interface by ethtool's ioctls. Never throws: sandboxes refuse these.
DriverWords ask_driver(const std::string& interface);

}  // namespace ringrun
