#include "lib/net/probe_endpoint.hpp"

#include <poll.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <set>
#include <utility>

#include "lib/error.hpp"
#include "lib/net/bulk_test.hpp"
#include "lib/net/path_mtu.hpp"
#include "lib/net/probe_attempt.hpp"
#include "lib/net/probe_listener.hpp"
#include "lib/net/probe_wire.hpp"
#include "lib/net/socket_address.hpp"
#include "lib/net/spare_descriptors.hpp"

namespace ringrun {
namespace {

constexpr int kMostVisitors = 512;

timespec to_timespec(ProbeClock::duration duration) {
  const auto nanoseconds = std::max<long>(0, std::chrono::nanoseconds(duration).count());
  return {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
}

}  // namespace

class ProbeEndpoint::Impl {
 public:
  Impl(std::string nonce, int host) : nonce_(nonce), host_(host), listener_(std::move(nonce), host, most_visitors()) {}

  ProbeListener& listener() { return listener_; }

  std::vector<Link> links() const {
    std::set<std::pair<std::size_t, std::size_t>> open(waiting_attempts_.begin(), waiting_attempts_.end());
    for (const Running<ProbeAttempt>& running : attempts_) open.emplace(running.link, running.place);
    std::vector<Link> links;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      Link link = links_[i];
      link.attempts.clear();
      for (std::size_t place = 0; place < links_[i].attempts.size(); ++place) {
        if (open.count({i, place}) == 0) link.attempts.push_back(links_[i].attempts[place]);
      }
      if (!link.attempts.empty() || links_[i].attempts.empty()) links.push_back(std::move(link));
    }
    return links;
  }

  bool finished() const {
    return waiting_attempts_.empty() && second_tries_.empty() && waiting_mtus_.empty() && waiting_bulks_.empty() &&
           running() == 0;
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
    append(bulks_);
    if (!second_tries_.empty()) until = std::min(until, std::max(now, second_tries_.front().when));
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
    advance(bulks_);
    collect();
    start(now);
  }

 private:
  template <typename Work>
  struct Running {
    std::size_t link;
    std::size_t place;
    Work work;
    bool again = false;
  };

  /// A lost packet among thousands is no firewall: what fails is tried once more, within the same deadline.
  struct SecondTry {
    std::size_t link;
    std::size_t place;
    ProbeClock::time_point when;
    ProbeClock::time_point end;
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

  std::size_t running() const { return attempts_.size() + mtus_.size() + bulks_.size(); }

  bool has_room() const { return running() < at_once_; }

  /// Begins what waits, as far as there is room.
  void start(ProbeClock::time_point now) {
    while (!waiting_mtus_.empty() && has_room() && start_mtu(waiting_mtus_.front(), now)) waiting_mtus_.pop_front();
    while (!waiting_bulks_.empty() && has_room() && start_bulk(waiting_bulks_.front(), now)) waiting_bulks_.pop_front();
    while (!waiting_attempts_.empty() && has_room() && start_attempt(waiting_attempts_.front(), now)) {
      waiting_attempts_.pop_front();
    }
    collect();
    start_second_tries(now);
    collect();
  }

  void start_second_tries(ProbeClock::time_point now) {
    const bool burst_is_over = waiting_attempts_.empty() && attempts_.empty();
    while (!second_tries_.empty()) {
      const SecondTry& next = second_tries_.front();
      const Outcome outcome = links_[next.link].attempts[next.place].outcome;
      const bool may_be_loss = outcome == Outcome::dropped || outcome == Outcome::failed ||
                               outcome == Outcome::refused || outcome == Outcome::no_host;
      if (may_be_loss && now < next.end) {
        if (!(burst_is_over || next.when <= now) || !has_room()) return;
        const Link& link = links_[next.link];
        const SocketAddress to = address_of(link, link.attempts[next.place].port);
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next.end - now);
        if (Socket socket = open_socket(to.family(), SOCK_STREAM)) {
          ProbeAttempt again(std::move(socket), to, greeting_to(link), now, left);
          attempts_.push_back({next.link, next.place, std::move(again), true});
        }
      }
      second_tries_.pop_front();
    }
  }

  /// False where it has to wait for a descriptor that another attempt holds.
  bool start_attempt(std::pair<std::size_t, std::size_t> place, ProbeClock::time_point now) {
    const Link& link = links_[place.first];
    Attempt& attempt = links_[place.first].attempts[place.second];
    const SocketAddress to = address_of(link, attempt.port);
    Socket socket = open_socket(to.family(), SOCK_STREAM);
    if (!socket) {
      if (is_exhaustion(errno) && running() > 0) return false;
      attempt.outcome = Outcome::failed;
      attempt.error = errno;
      return true;
    }
    second_tries_.push_back({place.first, place.second, now + deadline_ / 2, now + deadline_});
    attempts_.push_back(
        {place.first, place.second, ProbeAttempt(std::move(socket), to, greeting_to(link), now, deadline_)});
    return true;
  }

  bool start_mtu(std::size_t place, ProbeClock::time_point now) {
    const Link& link = links_[place];
    const SocketAddress to = address_of(link, link.attempts.front().port);
    Socket socket = open_socket(to.family(), SOCK_DGRAM);
    if (!socket) return !(is_exhaustion(errno) && running() > 0);
    mtus_.push_back({place, 0, PathMtu(std::move(socket), to, greeting_to(link), now)});
    return true;
  }

  bool start_bulk(std::size_t place, ProbeClock::time_point now) {
    const Link& link = links_[place];
    const auto reached = std::find_if(link.attempts.begin(), link.attempts.end(),
                                      [](const Attempt& attempt) { return attempt.outcome == Outcome::reached; });
    if (reached == link.attempts.end()) return true;
    const SocketAddress to = address_of(link, reached->port);
    Socket socket = open_socket(to.family(), SOCK_STREAM);
    if (!socket) return !(is_exhaustion(errno) && running() > 0);
    bulks_.push_back({place, 0, BulkTest(std::move(socket), to, greeting_to(link), now)});
    return true;
  }

  /// Writes down what has ended.
  void collect() {
    take_ended(attempts_, [&](const Running<ProbeAttempt>& ended) {
      Link& link = links_[ended.link];
      Attempt& known = link.attempts[ended.place];
      const bool reached = ended.work.result().outcome == Outcome::reached;
      // The first try's word stands, unless one of the two arrives.
      if (reached || (!ended.again && known.outcome != Outcome::reached)) known = ended.work.result();
      if (!ended.work.source().empty()) link.source = ended.work.source();
      if (!reached) return;
      if (link.seen_as.empty()) waiting_mtus_.push_back(ended.link);
      link.seen_as = ended.work.seen_as();
    });
    take_ended(mtus_, [&](const Running<PathMtu>& ended) {
      links_[ended.link].mtu_tried = ended.work.tried();
      links_[ended.link].mtu_passed = ended.work.passed();
      if (ended.work.passed() < ended.work.tried()) waiting_bulks_.push_back(ended.link);
    });
    take_ended(bulks_, [&](const Running<BulkTest>& ended) { links_[ended.link].bulk_passed = ended.work.passed(); });
    std::erase_if(attempts_, [&](const Running<ProbeAttempt>& one) {
      return links_[one.link].attempts[one.place].outcome == Outcome::reached;
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
  std::deque<SecondTry> second_tries_;
  std::deque<std::size_t> waiting_mtus_;
  std::deque<std::size_t> waiting_bulks_;
  std::vector<Running<ProbeAttempt>> attempts_;
  std::vector<Running<PathMtu>> mtus_;
  std::vector<Running<BulkTest>> bulks_;
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
