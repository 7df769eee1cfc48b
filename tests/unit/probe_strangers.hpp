#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <chrono>
#include <string>
#include <vector>

#include "lib/net/probe_endpoint.hpp"
#include "lib/net/probe_wire.hpp"
#include "lib/net/socket_address.hpp"

namespace ringrun::test {

inline constexpr const char* kNonce = "00112233445566778899aabbccddeeff";

/// Steps all in turn until the first has ended; a test that never ends fails.
inline std::chrono::milliseconds run(ProbeEndpoint& trying, const std::vector<ProbeEndpoint*>& others = {}) {
  const auto begin = ProbeClock::now();
  while (!trying.finished()) {
    trying.step(std::chrono::milliseconds(1));
    for (ProbeEndpoint* other : others) other->step(std::chrono::milliseconds(0));
    if (ProbeClock::now() - begin > std::chrono::seconds(8)) {
      ADD_FAILURE() << "the probes do not end";
      break;
    }
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(ProbeClock::now() - begin);
}

inline std::vector<Outcome> outcomes(const Link& link) {
  std::vector<Outcome> list;
  for (const Attempt& attempt : link.attempts) list.push_back(attempt.outcome);
  return list;
}

/// A socket of a program that is none of ours.
struct Stranger {
  explicit Stranger(int type, const std::string& ip = "127.0.0.1", bool listens = false)
      : socket(::socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
    const SocketAddress any = *SocketAddress::parse(ip, 0);
    EXPECT_EQ(bind(socket.get(), any.get(), any.size()), 0);
    if (listens) {
      EXPECT_EQ(listen(socket.get(), 8), 0);
    }
    const timeval patience{0, 100000};
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    port = SocketAddress::local(socket.get()).port();
  }
  bool connect(const std::string& ip, int to) const {
    const SocketAddress address = *SocketAddress::parse(ip, to);
    return ::connect(socket.get(), address.get(), address.size()) == 0;
  }
  void say(const std::string& text) const {
    EXPECT_EQ(send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  /// What came; nothing where nothing comes or the other end is closed.
  std::string hear() const {
    std::string text(70000, '\0');
    const ssize_t size = recv(socket.get(), text.data(), text.size(), 0);
    return text.substr(0, size < 0 ? 0 : static_cast<std::size_t>(size));
  }
  Socket socket;
  int port = 0;
};

}  // namespace ringrun::test
