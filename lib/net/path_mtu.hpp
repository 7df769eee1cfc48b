#pragma once

#include <poll.h>

#include <cstddef>

#include "lib/net/probe_wire.hpp"
#include "lib/net/socket_address.hpp"

namespace ringrun {

/// Finds the largest IP packet that goes to a host's UDP door and comes back, unfragmented. One round trip where the
/// interface's own size passes, about half a second where nothing answers, 1.2 s at most. Where a router on the way
/// says its size, that size is the one to pass: TCP hears it too, and nothing hangs.
class PathMtu {
 public:
  /// Begins at once. `socket` is a new UDP socket of the address's family.
  PathMtu(Socket socket, const SocketAddress& to, const Greeting& greeting, ProbeClock::time_point now);

  bool ended() const { return !socket_; }
  pollfd waited() const { return {socket_.get(), POLLIN, 0}; }
  ProbeClock::time_point due() const { return due_; }
  /// The socket is ready, or `due` has come.
  void advance(bool ready, ProbeClock::time_point now);

  /// Bytes of IP packets; both 0 where nothing came back.
  int tried() const { return passed_ == 0 ? 0 : tried_; }
  int passed() const { return passed_; }

 private:
  enum class Phase { large, both, bisection, last_large };

  int kernel_size() const;
  void send_size(int size);
  void hear(ProbeClock::time_point now);
  void lower_to_kernel_size(ProbeClock::time_point now);
  void expire(ProbeClock::time_point now);
  /// Asks for the middle of what is not known, and for the large size once more where all is.
  void bisect(ProbeClock::time_point now);

  Socket socket_;
  Greeting greeting_;
  int overhead_ = 0;
  Phase phase_ = Phase::large;
  int tried_ = 0;
  int passed_ = 0;
  /// Smallest size that did not come back.
  int lost_ = 0;
  int asked_ = 0;
  ProbeClock::time_point begin_;
  ProbeClock::time_point sent_;
  ProbeClock::time_point due_;
  ProbeClock::duration patience_;
};

}  // namespace ringrun
