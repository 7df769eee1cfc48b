#include "launcher/run/rank_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "lib/error.hpp"

namespace ringrun {
namespace {

constexpr int kShortWaitMs = 500;
// The beginning of a line is shown when nothing has followed it for so long.
constexpr int kPatienceMs = 200;

/// F/1/rank.03/stdout, as mpirun 4.1.4 names it: with as many digits as the number of ranks has. What an attempt before
/// this one has written stays.
Descriptor open_file(const std::filesystem::path& folder, int rank, int size, const char* stream, bool again) {
  std::string number = std::to_string(rank);
  number.insert(0, std::max(std::to_string(size).size(), number.size()) - number.size(), '0');
  const std::filesystem::path own = folder / ("rank." + number);
  std::error_code error;
  std::filesystem::create_directories(own, error);
  const std::string path = (own / stream).string();
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | (again ? O_APPEND : O_TRUNC) | O_CLOEXEC, 0644));
  if (!file) {
    throw UserError("cannot write " + path + ": " + std::strerror(errno),
                    "give --output-filename a folder that can be written on every host");
  }
  return file;
}

struct Ends {
  Descriptor source;
  Descriptor end;
};

Ends make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw SystemError("pipe2", std::strerror(errno), errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Where the engine gives a terminal (4.1 does, for standard output) the program must see one: it would write in large
// pieces otherwise.
Ends make_terminal() {
  Ends ends;
  ends.source = Descriptor(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  std::array<char, 64> name{};
  if (!ends.source || grantpt(ends.source.get()) != 0 || unlockpt(ends.source.get()) != 0 ||
      ptsname_r(ends.source.get(), name.data(), name.size()) != 0) {
    return make_pipe();
  }
  ends.end = Descriptor(open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!ends.end) return make_pipe();
  termios mode{};
  tcgetattr(ends.end.get(), &mode);
  cfmakeraw(&mode);
  tcsetattr(ends.end.get(), TCSANOW, &mode);
  return ends;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd entry{fd, POLLOUT, 0};
      poll(&entry, 1, kShortWaitMs);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

RankStreams::RankStreams(const OutputStyle& style, int rank, int size, bool again) : merged_(style.merge) {
  const std::size_t colon = style.files.find(':');
  const std::string qualifiers = colon == std::string::npos ? "" : style.files.substr(colon);
  std::filesystem::path folder = style.files.substr(0, colon);
  copies_ = qualifiers.find("nocopy") == std::string::npos;
  // One job after the other has the number 1.
  if (!folder.empty() && qualifiers.find("nojobid") == std::string::npos) folder /= "1";
  if (style != OutputStyle{}) {
    out_ = Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    Stream& out = add(OutputLines(style, rank, "stdout"), out_.get(), isatty(STDOUT_FILENO) != 0);
    out.is_err = merged_;
    if (!folder.empty()) out.file = open_file(folder, rank, size, "stdout", again);
  }
  if (merged_) return;
  Stream& err = add(OutputLines(style, rank, "stderr"), STDERR_FILENO, false);
  err.is_err = true;
  if (!folder.empty()) err.file = open_file(folder, rank, size, "stderr", again);
}

RankStreams::Stream& RankStreams::add(OutputLines lines, int to, bool terminal) {
  Ends ends = terminal ? make_terminal() : make_pipe();
  fcntl(ends.source.get(), F_SETFL, fcntl(ends.source.get(), F_GETFL) | O_NONBLOCK);
  Stream& stream = streams_.emplace_back(std::move(lines), to);
  stream.source = std::move(ends.source);
  stream.end = std::move(ends.end);
  return stream;
}

void RankStreams::enter_program() const {
  for (const Stream& stream : streams_) {
    if (stream.to != STDERR_FILENO) dup2(stream.end.get(), STDOUT_FILENO);
    if (stream.is_err) dup2(stream.end.get(), STDERR_FILENO);
  }
}

void RankStreams::leave() {
  streams_.clear();
  out_.reset();
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing.get(), fd);
}

void RankStreams::begin() {
  for (Stream& stream : streams_) stream.end.reset();
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) dup2(nothing.get(), fd);
}

void RankStreams::pass_on(int until) {
  for (;;) {
    std::vector<pollfd> entries = {{until, POLLIN, 0}};
    bool holds = false;
    for (const Stream& stream : streams_) {
      entries.push_back({stream.source ? stream.source.get() : -1, POLLIN, 0});
      holds = holds || stream.lines.holds();
    }
    const int ready = poll(entries.data(), entries.size(), holds ? kPatienceMs : -1);
    if (ready == 0) flush();
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (entries[i + 1].revents != 0) read_some(streams_[i]);
    }
    if (entries[0].revents != 0) return;
  }
}

void RankStreams::drain() {
  for (Stream& stream : streams_) {
    while (read_some(stream)) {
    }
  }
  flush();
}

bool RankStreams::read_some(Stream& stream) {
  if (!stream.source) return false;
  std::array<char, 65536> chunk;
  const ssize_t count = read(stream.source.get(), chunk.data(), chunk.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
  if (count <= 0) {
    // A terminal says EIO at its end.
    stream.source.reset();
    return false;
  }
  const std::string_view text(chunk.data(), static_cast<std::size_t>(count));
  if (stream.is_err) last_lines_.feed(text);
  write_out(stream, stream.lines.feed(text, std::time(nullptr)));
  return true;
}

void RankStreams::write_out(Stream& stream, const std::string& text) {
  if (stream.file) write_all(stream.file.get(), text);
  // Where the engine reads no more, the program gets what it would get from the engine itself: SIGPIPE.
  if (copies_ && !write_all(stream.to, text)) stream.source.reset();
}

void RankStreams::flush() {
  for (Stream& stream : streams_) write_out(stream, stream.lines.flush(std::time(nullptr)));
}

}  // namespace ringrun
