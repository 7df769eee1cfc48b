#include "launcher/cli/option_values.hpp"

#include <charconv>

namespace ringrun {

int whole_number(const std::string& option, const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    throw UserError(option + " '" + text + "' is not a whole number from " + std::to_string(least) +
                    (most == kMostInt ? " upwards" : " to " + std::to_string(most)));
  }
  return value;
}

std::pair<std::string, std::string> host_and_interface(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < text.size()) {
    return {text.substr(0, equals), text.substr(equals + 1)};
  }
  throw UserError("--nic '" + text + "' names no host and interface", "write --nic HOST=INTERFACE");
}

PortRange port_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos)
    throw UserError("--port-range '" + text + "' is no range", "write --port-range 20000-20100");
  const PortRange range{whole_number("--port-range", text.substr(0, dash), 1, 65535),
                        whole_number("--port-range", text.substr(dash + 1), 1, 65535)};
  // A daemon, its ranks, the rendezvous and the probes want a port each.
  constexpr int kLeast = 16;
  if (range.last - range.first + 1 >= kLeast) return range;
  throw UserError("--port-range '" + text + "' has too few ports", "give at least " + std::to_string(kLeast));
}

}  // namespace ringrun
