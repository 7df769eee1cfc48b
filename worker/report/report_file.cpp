#include "worker/report/report_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "lib/descriptor.hpp"
#include "lib/error.hpp"

namespace ringrun::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// For the reader of a pipe to open it, or to take some of it.
constexpr milliseconds kForTheReader{5000};

/// Some file systems say only here that there is no room. False with errno set.
bool close_whole(Descriptor& file) { return ::close(file.release()) == 0; }

/// False with errno set.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{descriptor, POLLOUT, 0};
      if (::poll(&room, 1, static_cast<int>(kForTheReader.count())) == 0) {
        errno = ETIMEDOUT;
        return false;
      }
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// A pipe without a reader refuses at once (ENXIO) what does not wait for one.
int open_in_place(const std::string& path) {
  const auto end = steady_clock::now() + kForTheReader;
  while (true) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0 || errno != ENXIO || steady_clock::now() > end) return descriptor;
    std::this_thread::sleep_for(milliseconds(20));
  }
}

bool is_what_we_print_to(const struct stat& file) {
  for (int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat printed {};
    if (::fstat(descriptor, &printed) == 0 && printed.st_dev == file.st_dev && printed.st_ino == file.st_ino)
      return true;
  }
  return false;
}

/// The file that a link names in the end; the link stays.
std::string resolved(const std::string& path) {
  std::error_code failed;
  const auto target = std::filesystem::canonical(path, failed);
  return failed ? path : target.string();
}

std::string beside(const std::string& target) { return target + "." + std::to_string(::getpid()) + ".part"; }

Descriptor create_beside(const std::string& target) {
  return Descriptor(::open(beside(target).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
}

/// False with errno set, and then nothing has changed.
bool replace(const std::string& target, const std::string& text) {
  Descriptor fresh = create_beside(target);
  if (!fresh) return false;
  struct stat before {};
  if (::stat(target.c_str(), &before) == 0) ::fchmod(fresh.get(), before.st_mode & 07777);
  if (write_all(fresh.get(), text) && close_whole(fresh) && ::rename(beside(target).c_str(), target.c_str()) == 0)
    return true;
  const int why = errno;
  ::unlink(beside(target).c_str());
  errno = why;
  return false;
}

/// A folder may allow no new files, and a mounted file no renaming.
bool needs_no_room_beside(int error) { return error == EACCES || error == EPERM || error == EROFS || error == EBUSY; }

}  // namespace

ReportFile::ReportFile(std::string option, std::string path) : option_(std::move(option)), path_(std::move(path)) {
  struct stat file {};
  const bool exists = ::stat(path_.c_str(), &file) == 0;
  bool writable = false;
  if (exists) {
    errno = EISDIR;
    writable = !S_ISDIR(file.st_mode) && ::access(path_.c_str(), W_OK) == 0;
  } else if (const Descriptor trial(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)); trial) {
    writable = true;
  }
  if (!writable) fail();
}

void ReportFile::fail() const {
  const int why = errno;
  const std::string problem = option_ + ": cannot write " + path_ + ": ";
  if (why == ENXIO || why == ETIMEDOUT) throw UserError(problem + "nobody reads that pipe", "start its reader first");
  throw UserError(problem + std::strerror(why), "give a file on a disk that has room, in a folder that can be written");
}

void ReportFile::write(const std::string& text) const {
  struct stat file {};
  const bool exists = ::stat(path_.c_str(), &file) == 0;
  const bool prints = exists && is_what_we_print_to(file);
  if (!exists || (S_ISREG(file.st_mode) && !prints)) {
    if (replace(resolved(path_), text)) return;
    if (!exists || !needs_no_room_beside(errno)) fail();
    Descriptor plain(::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (!plain || !write_all(plain.get(), text) || !close_whole(plain)) fail();
    return;
  }
  Descriptor place(open_in_place(path_));
  // Behind the table.
  if (place && prints) ::fcntl(place.get(), F_SETFL, O_APPEND | O_NONBLOCK);
  if (!place || !write_all(place.get(), text) || !close_whole(place)) fail();
}

}  // namespace ringrun::worker
