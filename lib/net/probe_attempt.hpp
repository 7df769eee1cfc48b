#pragma once

#include <poll.h>

#include <chrono>
#include <string>

#include "lib/net/probe_wire.hpp"
#include "lib/net/reachability.hpp"
#include "lib/net/socket_address.hpp"

namespace ringrun {

/// One TCP connection to one port of another host, from its beginning to its outcome.
class ProbeAttempt {
 public:
  /// Begins at once; it may have ended at once too. `socket` is a new one of the address's family.
  ProbeAttempt(Socket socket, const SocketAddress& to, Greeting greeting, ProbeClock::time_point now,
               std::chrono::milliseconds deadline);

  bool ended() const { return !socket_; }
  pollfd waited() const;
  ProbeClock::time_point due() const { return begin_ + deadline_; }
  /// The socket is ready, or `due` has come.
  void advance(bool ready, ProbeClock::time_point now);

  const Attempt& result() const { return result_; }
  /// As the other host saw us, "" where it did not answer.
  const std::string& seen_as() const { return seen_as_; }
  /// Our address of the connection, "" where there was none.
  const std::string& source() const { return source_; }

 private:
  void end(Outcome outcome, int error, ProbeClock::time_point now);
  void greet(ProbeClock::time_point now);
  void hear(ProbeClock::time_point now);

  Socket socket_;
  Greeting greeting_;
  ProbeClock::time_point begin_;
  std::chrono::milliseconds deadline_;
  bool connected_ = false;
  std::string heard_;
  Attempt result_;
  std::string seen_as_;
  std::string source_;
};

/// An errno of connect, or of the connection afterwards, as an outcome.
Outcome outcome_of_error(int error);

}  // namespace ringrun
