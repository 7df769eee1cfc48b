#include "lib/net/probe_attempt.hpp"

#include <cerrno>
#include <utility>

namespace ringrun {

Outcome outcome_of_error(int error) {
  switch (error) {
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
      return Outcome::refused;
    case ENETUNREACH:
      return Outcome::no_route;
    case EHOSTUNREACH:
      return Outcome::no_host;
    case ETIMEDOUT:
      return Outcome::dropped;
    default:
      return Outcome::failed;
  }
}

ProbeAttempt::ProbeAttempt(Socket socket, const SocketAddress& to, Greeting greeting, ProbeClock::time_point now,
                           std::chrono::milliseconds deadline)
    : socket_(std::move(socket)), greeting_(std::move(greeting)), begin_(now), deadline_(deadline) {
  result_.port = to.port();
  if (connect(socket_.get(), to.get(), to.size()) != 0 && errno != EINPROGRESS) {
    end(outcome_of_error(errno), errno, now);
  }
}

pollfd ProbeAttempt::waited() const { return {socket_.get(), static_cast<short>(connected_ ? POLLIN : POLLOUT), 0}; }

void ProbeAttempt::advance(bool ready, ProbeClock::time_point now) {
  if (ready && !ended()) {
    if (connected_) {
      hear(now);
    } else {
      greet(now);
    }
  }
  if (!ended() && now >= due()) end(Outcome::dropped, 0, now);
}

void ProbeAttempt::end(Outcome outcome, int error, ProbeClock::time_point now) {
  socket_.reset();
  result_.outcome = outcome;
  result_.error = error;
  result_.milliseconds = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(now - begin_).count());
}

void ProbeAttempt::greet(ProbeClock::time_point now) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return end(outcome_of_error(error), error, now);
  connected_ = true;
  source_ = SocketAddress::local(socket_.get()).ip();
  const std::string line = to_line(greeting_);
  if (send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0) end(outcome_of_error(errno), errno, now);
}

void ProbeAttempt::hear(ProbeClock::time_point now) {
  char bytes[kLongestProbeLine];
  const ssize_t size = recv(socket_.get(), bytes, sizeof bytes, 0);
  if (size < 0) {
    if (errno != EAGAIN && errno != EINTR) end(outcome_of_error(errno), errno, now);
    return;
  }
  // A port proxy takes the connection and gives it up when it finds nothing behind itself.
  if (size == 0) return end(Outcome::wrong_host, 0, now);
  heard_.append(bytes, static_cast<std::size_t>(size));
  if (heard_.find('\n') == std::string::npos) {
    if (heard_.size() > kLongestProbeLine) end(Outcome::wrong_host, 0, now);
    return;
  }
  const auto answer = read_answer_line(heard_);
  if (!answer || answer->host != greeting_.expected || !SocketAddress::parse(answer->seen_as, 0)) {
    return end(Outcome::wrong_host, 0, now);
  }
  seen_as_ = answer->seen_as;
  end(Outcome::reached, 0, now);
}

}  // namespace ringrun
