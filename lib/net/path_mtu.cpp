#include "lib/net/path_mtu.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ringrun {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPatience(250);
constexpr milliseconds kWholePatience(1200);

/// Every path of IPv4 is expected to take this; IPv6 asks for more, but a tunnel may not know.
constexpr int kSmallSize = 576;

/// The largest IP packet that there is.
constexpr int kLargestSize = 65535;

}  // namespace

PathMtu::PathMtu(Socket socket, const SocketAddress& to, const Greeting& greeting, ProbeClock::time_point now)
    : socket_(std::move(socket)),
      greeting_(greeting),
      overhead_(to.family() == AF_INET6 ? 48 : 28),
      begin_(now),
      sent_(now),
      due_(now + kFirstPatience),
      patience_(kFirstPatience) {
  const bool six = to.family() == AF_INET6;
  const int probe = six ? IPV6_PMTUDISC_PROBE : IP_PMTUDISC_PROBE;
  if (setsockopt(socket_.get(), six ? static_cast<int>(IPPROTO_IPV6) : static_cast<int>(IPPROTO_IP),
                 six ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER, &probe, sizeof probe) != 0 ||
      connect(socket_.get(), to.get(), to.size()) != 0) {
    socket_.reset();
    return;
  }
  tried_ = lost_ = kernel_size();
  if (tried_ <= overhead_) {
    socket_.reset();
    return;
  }
  send_size(tried_);
}

int PathMtu::kernel_size() const {
  int size = 0;
  socklen_t length = sizeof size;
  const bool six = overhead_ == 48;
  if (getsockopt(socket_.get(), six ? static_cast<int>(IPPROTO_IPV6) : static_cast<int>(IPPROTO_IP),
                 six ? IPV6_MTU : IP_MTU, &size, &length) != 0) {
    return 0;
  }
  return std::min(size, kLargestSize);
}

void PathMtu::send_size(int size) {
  asked_ = size;
  const std::string packet = to_packet(greeting_, static_cast<std::size_t>(size - overhead_));
  // What the kernel does not take counts as lost.
  send(socket_.get(), packet.data(), packet.size(), MSG_NOSIGNAL);
}

void PathMtu::advance(bool ready, ProbeClock::time_point now) {
  if (ready && !ended()) hear(now);
  if (!ended() && now >= due_) expire(now);
}

void PathMtu::hear(ProbeClock::time_point now) {
  const std::string expected = to_echo(to_line(greeting_));
  std::string packet(kLargestSize, '\0');
  for (;;) {
    const ssize_t size = recv(socket_.get(), packet.data(), packet.size(), MSG_TRUNC);
    if (size < 0) {
      if (errno == EMSGSIZE) {
        lower_to_kernel_size(now);
        continue;
      }
      // Nothing listens: whatever has passed so far has to do.
      if (errno != EAGAIN && errno != EINTR) socket_.reset();
      break;
    }
    if (packet.compare(0, expected.size(), expected) != 0) continue;
    passed_ = std::max(passed_, std::min(static_cast<int>(size) + overhead_, tried_));
  }
  if (ended()) return;
  // A late answer: what seemed lost was not, so nothing above is known.
  if (passed_ >= lost_) lost_ = tried_;
  if (passed_ == tried_) {
    socket_.reset();
  } else if (passed_ > 0 && phase_ == Phase::both) {
    // The small one came back: its time tells how long a lost one is to be waited for.
    patience_ = std::clamp<ProbeClock::duration>((now - sent_) * 4, milliseconds(30), milliseconds(100));
  } else if (phase_ == Phase::bisection && passed_ >= asked_) {
    bisect(now);
  }
}

void PathMtu::lower_to_kernel_size(ProbeClock::time_point now) {
  const int size = kernel_size();
  if (size <= overhead_ || size >= tried_) return;
  tried_ = lost_ = size;
  passed_ = std::min(passed_, tried_);
  phase_ = Phase::large;
  sent_ = now;
  due_ = now + kFirstPatience;
  send_size(tried_);
}

void PathMtu::expire(ProbeClock::time_point now) {
  switch (phase_) {
    case Phase::large:
      phase_ = Phase::both;
      sent_ = now;
      due_ = now + kFirstPatience;
      send_size(tried_);
      if (tried_ > kSmallSize) send_size(kSmallSize);
      return;
    case Phase::both:
      if (passed_ == 0) return socket_.reset();
      phase_ = Phase::bisection;
      return bisect(now);
    case Phase::bisection:
      lost_ = std::min(lost_, asked_);
      return bisect(now);
    case Phase::last_large:
      return socket_.reset();
  }
}

void PathMtu::bisect(ProbeClock::time_point now) {
  const auto end = begin_ + kWholePatience;
  if (now >= end) return socket_.reset();
  if (lost_ - passed_ > 1) {
    send_size(passed_ + (lost_ - passed_) / 2);
  } else {
    // A burst of others' packets may have cost both large ones.
    phase_ = Phase::last_large;
    send_size(tried_);
  }
  due_ = std::min(end, now + patience_);
}

}  // namespace ringrun
