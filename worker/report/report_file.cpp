#include "worker/report/report_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "lib/descriptor.hpp"
#include "lib/error.hpp"
#include "worker/report/output_stream.hpp"

namespace ringrun::worker {
namespace {

/// Some file systems say only here that there is no room. False with errno set.
bool close_whole(Descriptor& file) { return ::close(file.release()) == 0; }

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

ReportFile::ReportFile(std::string option, std::string path)
    : option_(std::move(option)), path_(std::move(path)), target_(path_) {
  struct stat file {};
  if (::stat(path_.c_str(), &file) == 0) {
    errno = EISDIR;
    if (S_ISDIR(file.st_mode) || ::access(path_.c_str(), W_OK) != 0) throw_unwritten(option_, path_, errno);
    target_ = resolved(path_);
    return;
  }
  const Descriptor trial(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!trial) throw_unwritten(option_, path_, errno);
  target_ = resolved(path_);
  // Should this process be killed, an empty file would look like a report.
  ::unlink(target_.c_str());
}

void throw_unwritten(const std::string& option, const std::string& path, int error) {
  const std::string problem = option + ": cannot write " + path + ": ";
  if (error == ENXIO || error == ETIMEDOUT)
    throw UserError(problem + "nobody reads that pipe", "start its reader first");
  if (error == EPIPE) throw UserError(problem + "its reader has left", "let the reader of that pipe read to the end");
  throw UserError(problem + std::strerror(error),
                  "give a file on a disk that has room, in a folder that can be written");
}

void ReportFile::write(const std::string& text) const {
  struct stat file {};
  const bool exists = ::stat(path_.c_str(), &file) == 0;
  const bool prints = exists && is_what_we_print_to(file);
  if (!exists || (S_ISREG(file.st_mode) && !prints)) {
    if (replace(target_, text)) return;
    if (!exists || !needs_no_room_beside(errno)) throw_unwritten(option_, path_, errno);
    Descriptor plain(::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (!plain || !write_all(plain.get(), text) || !close_whole(plain)) throw_unwritten(option_, path_, errno);
    return;
  }
  Descriptor place(open_to_write(path_));
  // Behind the table.
  if (place && prints) ::fcntl(place.get(), F_SETFL, O_APPEND | O_NONBLOCK);
  if (!place || !write_all(place.get(), text) || !close_whole(place)) throw_unwritten(option_, path_, errno);
}

}  // namespace ringrun::worker
