#include "lib/net/bulk_test.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace ringrun {
namespace {

constexpr std::size_t kBytes = 1 << 20;

/// A connection on which large packets are lost stands still from its first one.
constexpr std::chrono::milliseconds kPatience(1500);

/// Where so much was acknowledged, the rest is only slow.
constexpr std::size_t kEnough = 128 << 10;

}  // namespace

BulkTest::BulkTest(Socket socket, const SocketAddress& to, const Greeting& greeting, ProbeClock::time_point now)
    : socket_(std::move(socket)), begin_(now) {
  Greeting with_bulk = greeting;
  with_bulk.bulk = kBytes;
  greeting_ = to_line(with_bulk);
  if (connect(socket_.get(), to.get(), to.size()) != 0 && errno != EINPROGRESS) end(-1);
}

pollfd BulkTest::waited() const {
  const bool sending = sent_ < greeting_.size() + kBytes;
  return {socket_.get(), static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN), 0};
}

ProbeClock::time_point BulkTest::due() const { return begin_ + kPatience; }

void BulkTest::advance(bool ready, ProbeClock::time_point now) {
  if (ready && !ended()) {
    while (!ended() && send_some()) {
    }
    if (!ended() && connected_) hear();
  }
  if (!ended() && now >= due()) give_up();
}

void BulkTest::end(int passed) {
  passed_ = passed;
  socket_.reset();
}

bool BulkTest::send_some() {
  static constexpr std::array<char, 65536> kNothing{};
  const std::size_t total = greeting_.size() + kBytes;
  if (sent_ >= total) return false;
  // The greeting goes alone, so that it arrives whatever becomes of the rest.
  const bool greets = sent_ < greeting_.size();
  const char* from = greets ? greeting_.data() + sent_ : kNothing.data();
  const std::size_t size = greets ? greeting_.size() - sent_ : std::min(kNothing.size(), total - sent_);
  const ssize_t taken = send(socket_.get(), from, size, MSG_NOSIGNAL);
  if (taken < 0) {
    if (errno != EAGAIN && errno != EINTR && errno != ENOTCONN) end(-1);
    return false;
  }
  connected_ = true;
  sent_ += static_cast<std::size_t>(taken);
  return true;
}

void BulkTest::hear() {
  char bytes[kLongestProbeLine];
  const ssize_t size = recv(socket_.get(), bytes, sizeof bytes, 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // Closed before its time: the other end does not know this question.
  if (size <= 0) return end(-1);
  heard_.append(bytes, static_cast<std::size_t>(size));
  if (heard_.find('\n') != std::string::npos) return end(read_answer_line(heard_) ? 1 : -1);
  if (heard_.size() > kLongestProbeLine) end(-1);
}

void BulkTest::give_up() {
  if (!connected_) return end(-1);
  int waiting = 0;
  const bool known = ioctl(socket_.get(), SIOCOUTQ, &waiting) == 0;
  const std::size_t arrived = known ? sent_ - std::min(sent_, static_cast<std::size_t>(std::max(waiting, 0))) : 0;
  // With a reset, or the kernel would go on sending for minutes.
  const linger at_once{1, 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  end(!known ? -1 : arrived >= kEnough ? 1 : 0);
}

}  // namespace ringrun
