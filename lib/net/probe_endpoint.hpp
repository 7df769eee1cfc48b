#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/net/reachability.hpp"

namespace ringrun {

/// First and last port, both included. Unset ports are the kernel's choice.
struct PortRange {
  int first = 0;
  int last = 0;
  bool operator==(const PortRange&) const = default;
};

/// Where a host listens for probes: TCP on `ports`, and UDP on the first of them for the path's MTU.
struct ListeningAddress {
  std::string address;
  std::vector<int> ports;
};

struct ProbeTarget {
  /// The target's place in the list of probed hosts: it is what the target must answer.
  int host = 0;
  ListeningAddress at;
};

/// One host's side of the probes between hosts: it listens, answers, and tries others, in one thread that calls `step`.
/// It listens only on the addresses it is given, answers only a connection or packet that brings the nonce, and stops
/// with its destruction. IPv4 and IPv6 addresses are both taken.
class ProbeEndpoint {
 public:
  /// `nonce` is the same for all hosts of one job and secret to them; `host` is this host's place in the list.
  ProbeEndpoint(std::string nonce, int host);
  ~ProbeEndpoint();
  ProbeEndpoint(const ProbeEndpoint&) = delete;
  ProbeEndpoint& operator=(const ProbeEndpoint&) = delete;

  /// Listens on `ports_each` ports of each address. An address that cannot be listened on (it is no longer there) has
  /// no ports in the result; a range with fewer free ports gives those it has.
  std::vector<ListeningAddress> listen(const std::vector<std::string>& addresses, int ports_each,
                                       std::optional<PortRange> range);

  /// Begins to try every port of every target, all side by side (at most `at_once` sockets), each until `deadline` has
  /// passed since it began, and once more within it where it fails; then, for a target's address that was reached, the
  /// MTU of the path, and whether large data goes over TCP where that is smaller than the interface's.
  void connect(const std::vector<ProbeTarget>& targets, std::chrono::milliseconds deadline, int at_once = 512);

  /// Serves whatever is ready, waiting at most `wait`; returns at once where `wake` (a file descriptor, -1 for none)
  /// becomes readable.
  void step(std::chrono::milliseconds wait, int wake = -1);

  /// All that `connect` began has ended.
  bool finished() const;

  /// One link a target address, in the order of the targets; `from` is this host. `seen_as` is filled where the
  /// answer brought it. Attempts that have not ended yet, and links that have no other, are left out.
  std::vector<Link> links() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A new nonce, 128 bits from the kernel as hexadecimal digits.
std::string make_nonce();

}  // namespace ringrun
