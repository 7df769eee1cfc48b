#pragma once

#include <poll.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/net/probe_endpoint.hpp"
#include "lib/net/probe_wire.hpp"
#include "lib/net/socket_address.hpp"

namespace ringrun {

/// The listening half of a ProbeEndpoint. All that a stranger can make it keep is bounded: how many connections, how
/// long each, how many bytes of it.
class ProbeListener {
 public:
  /// At most `most_visitors` connections are open at a time. Beyond, one that has its answer goes; where there is none,
  /// nobody is let in until the oldest has had time to speak, and then that one goes.
  ProbeListener(std::string nonce, int host, std::size_t most_visitors);

  std::vector<ListeningAddress> listen(const std::vector<std::string>& addresses, int ports_each,
                                       std::optional<PortRange> range);

  /// Appends what shall be waited for, and gives the time at which `serve` is wanted at the latest.
  std::optional<ProbeClock::time_point> append_to(std::vector<pollfd>& waited, ProbeClock::time_point now) const;

  /// Takes the answers to what `append_to` appended, which begin at `first`. Returns how many there were.
  std::size_t serve(const pollfd* first, ProbeClock::time_point now);

 private:
  /// Port 0 for the kernel's choice. False where the port is taken, or the address not here.
  bool open_door(const std::string& address, int port, bool with_packets);
  void open_doors(const std::string& address, int ports, std::optional<PortRange> range);

  /// A listening socket.
  struct Door {
    Socket socket;
    int port = 0;
    bool takes_packets = false;
  };
  struct Visitor {
    Socket socket;
    std::string line;
    ProbeClock::time_point arrival;
    bool answered = false;
    /// Bytes that are to come before the answer.
    std::size_t awaited = 0;
  };

  /// False where no one more can be let in; the doors are shut then.
  bool make_room(ProbeClock::time_point now);
  void admit(const Door& door, ProbeClock::time_point now);
  /// True where nothing more is to come.
  bool hear(Visitor& visitor);
  /// False where the greeting is none for us.
  bool understand(Visitor& visitor);
  bool swallow(Visitor& visitor);
  bool answer(Visitor& visitor);
  void echo_packets(const Door& door);

  std::string nonce_;
  int host_ = 0;
  std::size_t most_visitors_ = 0;
  std::vector<Door> doors_;
  std::vector<Visitor> visitors_;
  /// No connection is taken before: the process has no descriptor left, or all visitors' places are taken.
  ProbeClock::time_point shut_until_;
};

}  // namespace ringrun
