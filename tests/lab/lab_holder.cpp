#include "tests/lab/lab_holder.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace ringrun::test {
namespace {

// Two hosts take 0.2 s and 64 some seconds; a busy machine takes much longer.
constexpr int start_deadline_ms = 40'000;

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  return ends;
}

/// Everything the lab says until its "lab ready" line, its end, or the deadline.
std::string read_until_ready(int fd) {
  std::string text;
  std::array<char, 4096> block;
  pollfd stream{fd, POLLIN, 0};
  while (text.find("lab ready") == std::string::npos || text.back() != '\n') {
    if (poll(&stream, 1, start_deadline_ms) <= 0) break;
    const ssize_t got = read(fd, block.data(), block.size());
    if (got <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

LabHolder::LabHolder(const LabShape& shape) {
  std::vector<std::string> words{RINGRUN_SOURCE_DIR "/tests/lab/lab", "up", "--hosts", std::to_string(shape.hosts)};
  if (!shape.root.empty()) words.insert(words.end(), {"--root", shape.root});
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto in = make_pipe();
  const auto out = make_pipe();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(out[1], 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  standard_input_ = in[1];
  const std::string said = read_until_ready(out[0]);
  close(out[0]);

  const auto ready = said.find("lab ready ");
  std::string lab, state, pid;
  if (ready != std::string::npos) std::istringstream(said.substr(ready)) >> lab >> state >> pid >> folder_;
  if (folder_.empty()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(standard_input_);
    throw std::runtime_error("the lab did not come up: " + said);
  }
}

LabHolder::~LabHolder() {
  close(standard_input_);
  waitpid(pid_, nullptr, 0);
}

}  // namespace ringrun::test
