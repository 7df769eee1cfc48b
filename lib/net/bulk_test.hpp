#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <string>

#include "lib/net/probe_wire.hpp"
#include "lib/net/socket_address.hpp"

namespace ringrun {

/// Whether much data goes through one TCP connection to a host's door: lost packets of UDP prove nothing about TCP,
/// which may find the path's size by itself.
class BulkTest {
 public:
  /// Begins at once. `socket` is a new TCP socket of the address's family.
  BulkTest(Socket socket, const SocketAddress& to, const Greeting& greeting, ProbeClock::time_point now);

  bool ended() const { return !socket_; }
  pollfd waited() const;
  ProbeClock::time_point due() const;
  /// The socket is ready, or `due` has come.
  void advance(bool ready, ProbeClock::time_point now);

  /// 1 where the data arrived, 0 where it did not, -1 where there was no connection to send it over.
  int passed() const { return passed_; }

 private:
  void end(int passed);
  /// False where the kernel takes no more for now.
  bool send_some();
  void hear();
  /// The deadline has come without an answer.
  void give_up();

  Socket socket_;
  std::string greeting_;
  ProbeClock::time_point begin_;
  bool connected_ = false;
  std::size_t sent_ = 0;
  std::string heard_;
  int passed_ = -1;
};

}  // namespace ringrun
