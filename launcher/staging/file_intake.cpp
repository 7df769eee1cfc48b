#include "launcher/staging/file_intake.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "lib/descriptor.hpp"
#include "lib/error.hpp"
#include "lib/host/content_hash.hpp"

namespace ringrun {
namespace {

constexpr std::size_t kPart = std::size_t{1} << 18;

[[noreturn]] void fail(const std::string& call, const std::filesystem::path& path) {
  const int code = errno;
  throw SystemError(call + " " + path.string(), std::strerror(code), code);
}

}  // namespace

void SentBytes::read(char* to, std::size_t size) {
  if (size > left_) throw UserError("less was sent than the request says");
  const std::size_t count = read_(to, size);
  left_ -= count;
  if (count < size) throw UserError("the connection ended in the middle of a copy");
}

void SentBytes::skip_rest() {
  std::vector<char> part(std::min<std::uint64_t>(left_, kPart));
  while (left_ > 0) read(part.data(), std::min<std::uint64_t>(left_, part.size()));
}

void take_file(const CopyFile& file, const std::filesystem::path& path, unsigned mode, SentBytes& sent) {
  const Descriptor out(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!out) fail("open", path);
  ContentHash hash;
  std::vector<char> part(kPart);
  for (std::uint64_t left = file.size; left > 0;) {
    const std::size_t size = std::min<std::uint64_t>(left, part.size());
    sent.read(part.data(), size);
    hash.add(part.data(), size);
    for (std::size_t done = 0; done < size;) {
      const ssize_t count = write(out.get(), part.data() + done, size - done);
      if (count < 0 && errno != EINTR) fail("write", path);
      if (count > 0) done += static_cast<std::size_t>(count);
    }
    left -= size;
  }
  if (hash.text() != file.hash)
    throw UserError(file.name + " changed while it was copied", "start the job again when it is written");
}

}  // namespace ringrun
