#include "lib/net/probe_endpoint.hpp"

#include <poll.h>
#include <sys/random.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <utility>

#include "lib/error.hpp"
#include "lib/net/path_mtu.hpp"
#include "lib/net/probe_attempt.hpp"
#include "lib/net/probe_listener.hpp"
#include "lib/net/probe_wire.hpp"
#include "lib/net/socket_address.hpp"

namespace ringrun {
namespace {

constexpr int kMostVisitors = 512;

/// Descriptors left to the rest of the program.
constexpr long kReserve = 32;

/// How many descriptors one half of an endpoint may take of what the process has left.
int spare_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1u << 20) return 1 << 20;
  long used = 0;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    ++used;
  }
  return static_cast<int>(std::max(1L, (static_cast<long>(limit.rlim_cur) - used - kReserve) / 2));
}

bool is_exhaustion(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

timespec to_timespec(ProbeClock::duration duration) {
  const auto nanoseconds = std::max<long>(0, std::chrono::nanoseconds(duration).count());
  return {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
}

}  // namespace

class ProbeEndpoint::Impl {
 public:
  Impl(std::string nonce, int host) : nonce_(nonce), host_(host), listener_(std::move(nonce), host, most_visitors()) {}

  ProbeListener& listener() { return listener_; }
  const ProbeListener& listener() const { return listener_; }
  const std::vector<Link>& links() const { return links_; }

  bool finished() const {
    return waiting_attempts_.empty() && waiting_mtus_.empty() && attempts_.empty() && mtus_.empty();
  }

  void connect(const std::vector<ProbeTarget>& targets, std::chrono::milliseconds deadline, int at_once) {
    deadline_ = deadline;
    at_once_ = static_cast<std::size_t>(std::max(1, std::min(at_once, spare_descriptors())));
    for (const ProbeTarget& target : targets) add(target);
    start(ProbeClock::now());
  }

  void step(std::chrono::milliseconds wait, int wake) {
    auto now = ProbeClock::now();
    start(now);
    std::vector<pollfd> waited = {{wake, POLLIN, 0}};
    auto until = now + wait;
    if (const auto due = listener_.append_to(waited, now)) until = std::min(until, *due);
    const auto append = [&](const auto& running) {
      for (const auto& one : running) {
        waited.push_back(one.work.waited());
        until = std::min(until, one.work.due());
      }
    };
    append(attempts_);
    append(mtus_);
    const timespec timeout = to_timespec(until - now);
    if (ppoll(waited.data(), waited.size(), &timeout, nullptr) < 0) {
      if (errno == EINTR) return;
      throw SystemError("ppoll", std::strerror(errno), errno);
    }
    now = ProbeClock::now();
    const pollfd* next = waited.data() + 1;
    next += listener_.serve(next, now);
    const auto advance = [&](auto& running) {
      for (auto& one : running) one.work.advance((next++)->revents != 0, now);
    };
    advance(attempts_);
    advance(mtus_);
    collect();
    start(now);
  }

 private:
  template <typename Work>
  struct Running {
    std::size_t link;
    std::size_t place;
    Work work;
  };

  static std::size_t most_visitors() { return static_cast<std::size_t>(std::min(kMostVisitors, spare_descriptors())); }

  void add(const ProbeTarget& target) {
    Link link;
    link.from = host_;
    link.to = target.host;
    link.address = target.at.address;
    const auto address = SocketAddress::parse(target.at.address, 0);
    if (address) link.source = source_towards(*address);
    for (std::size_t i = 0; i < target.at.ports.size(); ++i) {
      link.attempts.push_back({target.at.ports[i], address ? Outcome::dropped : Outcome::failed, address ? 0 : EINVAL});
      if (address) waiting_attempts_.emplace_back(links_.size(), i);
    }
    links_.push_back(std::move(link));
  }

  SocketAddress address_of(const Link& link, int port) const {
    return SocketAddress::parse(link.address, port).value_or(SocketAddress());
  }

  Greeting greeting_to(const Link& link) const { return {nonce_, host_, link.to}; }

  bool has_room() const { return attempts_.size() + mtus_.size() < at_once_; }

  /// Begins what waits, as far as there is room.
  void start(ProbeClock::time_point now) {
    while (!waiting_mtus_.empty() && has_room() && start_mtu(waiting_mtus_.front(), now)) waiting_mtus_.pop_front();
    while (!waiting_attempts_.empty() && has_room() && start_attempt(waiting_attempts_.front(), now)) {
      waiting_attempts_.pop_front();
    }
    collect();
  }

  /// False where it has to wait for a descriptor that another attempt holds.
  bool start_attempt(std::pair<std::size_t, std::size_t> place, ProbeClock::time_point now) {
    const Link& link = links_[place.first];
    Attempt& attempt = links_[place.first].attempts[place.second];
    const SocketAddress to = address_of(link, attempt.port);
    Socket socket = open_socket(to.family(), SOCK_STREAM);
    if (!socket) {
      if (is_exhaustion(errno) && !(attempts_.empty() && mtus_.empty())) return false;
      attempt.outcome = Outcome::failed;
      attempt.error = errno;
      return true;
    }
    attempts_.push_back(
        {place.first, place.second, ProbeAttempt(std::move(socket), to, greeting_to(link), now, deadline_)});
    return true;
  }

  bool start_mtu(std::size_t place, ProbeClock::time_point now) {
    const Link& link = links_[place];
    const SocketAddress to = address_of(link, link.attempts.front().port);
    Socket socket = open_socket(to.family(), SOCK_DGRAM);
    if (!socket) return !(is_exhaustion(errno) && !(attempts_.empty() && mtus_.empty()));
    mtus_.push_back({place, 0, PathMtu(std::move(socket), to, greeting_to(link), now)});
    return true;
  }

  /// Writes down what has ended.
  void collect() {
    take_ended(attempts_, [&](const Running<ProbeAttempt>& ended) {
      Link& link = links_[ended.link];
      link.attempts[ended.place] = ended.work.result();
      if (!ended.work.source().empty()) link.source = ended.work.source();
      if (ended.work.result().outcome != Outcome::reached) return;
      if (link.seen_as.empty()) waiting_mtus_.push_back(ended.link);
      link.seen_as = ended.work.seen_as();
    });
    take_ended(mtus_, [&](const Running<PathMtu>& ended) {
      links_[ended.link].mtu_tried = ended.work.tried();
      links_[ended.link].mtu_passed = ended.work.passed();
    });
  }

  template <typename Work, typename Taker>
  static void take_ended(std::vector<Running<Work>>& running, Taker take) {
    for (const Running<Work>& one : running) {
      if (one.work.ended()) take(one);
    }
    std::erase_if(running, [](const Running<Work>& one) { return one.work.ended(); });
  }

  std::string nonce_;
  int host_;
  ProbeListener listener_;
  std::chrono::milliseconds deadline_{0};
  std::size_t at_once_ = 1;
  std::vector<Link> links_;
  /// Places of links, and of their attempts.
  std::deque<std::pair<std::size_t, std::size_t>> waiting_attempts_;
  std::deque<std::size_t> waiting_mtus_;
  std::vector<Running<ProbeAttempt>> attempts_;
  std::vector<Running<PathMtu>> mtus_;
};

ProbeEndpoint::ProbeEndpoint(std::string nonce, int host) : impl_(std::make_unique<Impl>(std::move(nonce), host)) {}

ProbeEndpoint::~ProbeEndpoint() = default;

std::vector<ListeningAddress> ProbeEndpoint::listen(const std::vector<std::string>& addresses, int ports_each,
                                                    std::optional<PortRange> range) {
  return impl_->listener().listen(addresses, ports_each, range);
}

void ProbeEndpoint::connect(const std::vector<ProbeTarget>& targets, std::chrono::milliseconds deadline, int at_once) {
  impl_->connect(targets, deadline, at_once);
}

void ProbeEndpoint::step(std::chrono::milliseconds wait, int wake) { impl_->step(wait, wake); }

bool ProbeEndpoint::finished() const { return impl_->finished(); }

std::vector<Link> ProbeEndpoint::links() const { return impl_->links(); }

const std::vector<Visit>& ProbeEndpoint::visits() const { return impl_->listener().visits(); }

std::string make_nonce() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw SystemError("getrandom", std::strerror(errno), errno);
  }
  std::string nonce;
  for (const unsigned char byte : bytes) {
    nonce += "0123456789abcdef"[byte >> 4];
    nonce += "0123456789abcdef"[byte & 15];
  }
  return nonce;
}

}  // namespace ringrun
