#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace ringrun {

/// Opens /dev/null for each of standard input, output and error that the caller closed, as service managers do: the
/// next file that is opened would become one of them. With O_RDONLY for `output_flags` what is then written to standard
/// output fails.
inline void open_closed_standard_streams(int output_flags = O_RDWR) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) static_cast<void>(open("/dev/null", fd == STDOUT_FILENO ? output_flags : O_RDWR));
  }
}

}  // namespace ringrun
