#include "lib/net/probe_listener.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace ringrun {
namespace {

/// So long a visitor may stay, whatever it does. It is to go first, so that the port is not kept in TIME_WAIT here,
/// where the job may want it next.
constexpr std::chrono::seconds kPatience(5);

/// So long a visitor is waited for while others want its place: a greeting comes with the connection.
constexpr std::chrono::milliseconds kShortPatience(500);

/// Connections and packets served at one door before others have their turn.
constexpr int kTurn = 256;

/// The kernel's own ports are tried so often until one is free for TCP and UDP both.
constexpr int kPairTries = 8;

void set_option(int socket, int level, int name, int value) { setsockopt(socket, level, name, &value, sizeof value); }

/// Packets leave whole or not at all: the size of the path is what is asked.
void forbid_fragments(int socket, int family) {
  if (family == AF_INET6) {
    set_option(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE);
  } else {
    set_option(socket, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
  }
}

}  // namespace

ProbeListener::ProbeListener(std::string nonce, int host, std::size_t most_visitors)
    : nonce_(std::move(nonce)), host_(host), most_visitors_(most_visitors) {}

bool ProbeListener::open_door(const std::string& address, int port, bool with_packets) {
  auto where = SocketAddress::parse(address, port);
  if (!where) return false;
  Socket stream = open_socket(where->family(), SOCK_STREAM);
  if (!stream) return false;
  // A wished port may still have the last job's connections in TIME_WAIT. The kernel's choice must not be one of those.
  if (port != 0) set_option(stream.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (bind(stream.get(), where->get(), where->size()) != 0 || ::listen(stream.get(), SOMAXCONN) != 0) return false;
  const int chosen = SocketAddress::local(stream.get()).port();
  if (with_packets) {
    where->set_port(chosen);
    Socket packets = open_socket(where->family(), SOCK_DGRAM);
    const bool bound = packets && bind(packets.get(), where->get(), where->size()) == 0;
    // A wished port is worth more than the path's MTU.
    if (!bound && port == 0) return false;
    if (bound) {
      forbid_fragments(packets.get(), where->family());
      // Many hosts send large packets at once.
      set_option(packets.get(), SOL_SOCKET, SO_RCVBUF, 4 << 20);
      doors_.push_back({std::move(packets), chosen, true});
    }
  }
  doors_.push_back({std::move(stream), chosen, false});
  return true;
}

void ProbeListener::open_doors(const std::string& address, int ports, std::optional<PortRange> range) {
  int opened = 0;
  if (!range) {
    for (int tries = 0; opened < ports && tries < ports + kPairTries; ++tries) {
      if (open_door(address, 0, opened == 0)) ++opened;
    }
    return;
  }
  // Spread over the range: a firewall may have opened only a part of it.
  const int length = range->last - range->first + 1;
  const int parts = std::min(ports, length);
  for (int row = 0; parts > 0 && row <= length / parts; ++row) {
    for (int part = 0; part < parts && opened < ports; ++part) {
      const int offset = static_cast<int>(static_cast<long>(part) * length / parts) + row;
      if (offset < length && open_door(address, range->first + offset, opened == 0)) ++opened;
    }
  }
}

std::vector<ListeningAddress> ProbeListener::listen(const std::vector<std::string>& addresses, int ports_each,
                                                    std::optional<PortRange> range) {
  std::vector<ListeningAddress> result;
  for (const std::string& address : addresses) {
    const std::size_t before = doors_.size();
    open_doors(address, ports_each, range);
    ListeningAddress listening{address, {}};
    for (std::size_t i = before; i < doors_.size(); ++i) {
      if (!doors_[i].takes_packets) listening.ports.push_back(doors_[i].port);
    }
    result.push_back(std::move(listening));
  }
  return result;
}

std::optional<ProbeClock::time_point> ProbeListener::append_to(std::vector<pollfd>& waited,
                                                               ProbeClock::time_point now) const {
  std::optional<ProbeClock::time_point> due;
  for (const Visitor& visitor : visitors_) {
    waited.push_back({visitor.socket.get(), POLLIN, 0});
    due = std::min(due.value_or(ProbeClock::time_point::max()), visitor.arrival + kPatience);
  }
  const bool shut = now < shut_until_;
  for (const Door& door : doors_) {
    waited.push_back({shut && !door.takes_packets ? -1 : door.socket.get(), POLLIN, 0});
  }
  if (shut) due = std::min(due.value_or(ProbeClock::time_point::max()), shut_until_);
  return due;
}

std::size_t ProbeListener::serve(const pollfd* first, ProbeClock::time_point now) {
  const std::size_t served = visitors_.size() + doors_.size();
  std::vector<Visitor> staying;
  for (Visitor& visitor : visitors_) {
    const bool ready = (first++)->revents != 0;
    if (now - visitor.arrival < kPatience && !(ready && hear(visitor))) staying.push_back(std::move(visitor));
  }
  visitors_ = std::move(staying);
  for (const Door& door : doors_) {
    if ((first++)->revents == 0) continue;
    if (door.takes_packets) {
      echo_packets(door);
    } else {
      admit(door, now);
    }
  }
  return served;
}

bool ProbeListener::make_room(ProbeClock::time_point now) {
  if (visitors_.size() < most_visitors_) return true;
  auto leaving =
      std::find_if(visitors_.begin(), visitors_.end(), [](const Visitor& visitor) { return visitor.answered; });
  if (leaving == visitors_.end()) {
    leaving = visitors_.begin();
    if (now - leaving->arrival < kShortPatience) {
      shut_until_ = leaving->arrival + kShortPatience;
      return false;
    }
  }
  visitors_.erase(leaving);
  return true;
}

void ProbeListener::admit(const Door& door, ProbeClock::time_point now) {
  for (int turn = 0; turn < kTurn && make_room(now); ++turn) {
    Socket socket(accept4(door.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      // Waiting for a connection that cannot be taken would turn without end.
      if (errno == EMFILE || errno == ENFILE) shut_until_ = now + std::chrono::milliseconds(50);
      return;
    }
    visitors_.push_back({std::move(socket), "", now, false, 0});
    // The greeting has often come by now.
    if (hear(visitors_.back())) visitors_.pop_back();
  }
}

bool ProbeListener::hear(Visitor& visitor) {
  if (visitor.awaited > 0) return swallow(visitor);
  char bytes[kLongestProbeLine];
  const ssize_t size = recv(visitor.socket.get(), bytes, sizeof bytes, 0);
  if (size < 0) return errno != EAGAIN && errno != EINTR;
  // More than one line is nobody's of us.
  if (size == 0 || visitor.answered) return true;
  visitor.line.append(bytes, static_cast<std::size_t>(size));
  if (visitor.line.size() > kLongestProbeLine) return true;
  if (visitor.line.find('\n') == std::string::npos) return false;
  if (!understand(visitor)) return true;
  return visitor.awaited > 0 ? swallow(visitor) : !answer(visitor);
}

bool ProbeListener::understand(Visitor& visitor) {
  const std::size_t size = visitor.line.find('\n') + 1;
  const auto greeting = read_greeting(std::string_view(visitor.line).substr(0, size));
  const std::size_t more = visitor.line.size() - size;
  if (!greeting || !same_nonce(greeting->nonce, nonce_) || more > greeting->bulk) return false;
  visitor.awaited = greeting->bulk - more;
  return true;
}

bool ProbeListener::swallow(Visitor& visitor) {
  static std::array<char, 65536> bytes;
  for (int turn = 0; turn < kTurn && visitor.awaited > 0; ++turn) {
    const ssize_t size = recv(visitor.socket.get(), bytes.data(), std::min(bytes.size(), visitor.awaited), 0);
    if (size < 0) return errno != EAGAIN && errno != EINTR;
    if (size == 0) return true;
    visitor.awaited -= static_cast<std::size_t>(size);
  }
  return visitor.awaited == 0 && !answer(visitor);
}

bool ProbeListener::answer(Visitor& visitor) {
  const std::string seen_as = SocketAddress::peer(visitor.socket.get()).ip();
  const std::string line = to_line(Answer{host_, seen_as});
  // A socket that has sent nothing yet takes the whole line.
  if (send(visitor.socket.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0) return false;
  visitor.answered = true;
  return true;
}

void ProbeListener::echo_packets(const Door& door) {
  std::string packet(65536, '\0');
  for (int turn = 0; turn < kTurn; ++turn) {
    SocketAddress from;
    packet.resize(65536);
    const ssize_t size = recvfrom(door.socket.get(), packet.data(), packet.size(), 0, from.fill(), from.fill_size());
    if (size < 0) return;
    packet.resize(static_cast<std::size_t>(size));
    const auto greeting = read_packet(packet);
    if (!greeting || greeting->expected != host_ || !same_nonce(greeting->nonce, nonce_)) continue;
    const std::string echo = to_echo(std::move(packet));
    sendto(door.socket.get(), echo.data(), echo.size(), MSG_NOSIGNAL, from.get(), from.size());
    packet = {};
  }
}

}  // namespace ringrun
