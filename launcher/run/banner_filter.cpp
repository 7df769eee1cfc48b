#include "launcher/run/banner_filter.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace ringrun {
namespace {

// Open MPI 4.1 and PRRTE 3 draw this many.
constexpr std::size_t kDashes = 74;
constexpr std::size_t kMostHeld = 4096;

bool may_be_dashes(std::string_view line) {
  return line.size() <= kDashes && line.find_first_not_of('-') == std::string_view::npos;
}

// Of srun and slurmstepd 22.05, when a task has failed or the step is ended; of mpirun 4.1, for each signal.
constexpr std::array<std::string_view, 7> kLines = {"srun: error: ",
                                                    "slurmstepd",
                                                    "srun: Terminating ",
                                                    "srun: Job step aborted: ",
                                                    "srun: launch/slurm: ",
                                                    "mpirun: Forwarding signal ",
                                                    "(null): Forwarding signal "};

// mpirun (4.1 and 5.0.7) warns where a remote shell was faster than mpirun itself, which harms nobody.
bool is_setpgid_warning(std::string_view line) {
  return line.substr(0, 1) == "[" && line.find("sh: Warning: setpgid(") != std::string_view::npos;
}

// libevent in mpirun 4.1, when the job is ended while ranks still write.
bool is_libevent_warning(std::string_view line) {
  return line.rfind("[warn] Epoll ", 0) == 0 && line.find(" failed. Old events were ") != std::string_view::npos;
}

// Of srun's errors only those that tell how a task ended; others say why nothing started.
bool is_line(std::string_view line) {
  if (is_setpgid_warning(line) || is_libevent_warning(line)) return true;
  if (line.rfind(kLines[0], 0) == 0) {
    return line.find(": task") != std::string_view::npos &&
           (line.find("xited with ") != std::string_view::npos || line.find("Killed") != std::string_view::npos ||
            line.find("Terminated") != std::string_view::npos || line.find("(core dumped)") != std::string_view::npos ||
            line.find("Aborted") != std::string_view::npos || line.find("fault") != std::string_view::npos);
  }
  // "slurmstepd-b: error: *** STEP 7.1 ON b CANCELLED AT …", and what PMIx says of the killed ranks.
  if (line.rfind(kLines[1], 0) == 0) {
    return line.find(": error: *** STEP ") != std::string_view::npos ||
           line.find(": error:  mpi/pmix") != std::string_view::npos;
  }
  return std::any_of(kLines.begin() + 2, kLines.end(),
                     [&](std::string_view beginning) { return line.rfind(beginning, 0) == 0; });
}

bool may_be_line(std::string_view line) {
  if (line.substr(0, 1) == "[" && line.size() < kMostHeld) return true;
  return std::any_of(kLines.begin(), kLines.end(), [&](std::string_view beginning) {
    const std::size_t length = std::min(line.size(), beginning.size());
    return line.substr(0, length) == beginning.substr(0, length);
  });
}

std::string_view first_line(std::string_view block) {
  return block.substr(std::min(block.find('\n') + 1, block.size()));
}

bool is_banner(std::string_view block) {
  static constexpr std::array kBeginnings = {"Primary job  terminated normally, but",
                                             "mpirun detected that one or more processes exited with non-zero",
                                             "prterun detected that one or more processes exited with non-zero",
                                             "mpirun noticed that process rank",
                                             "prterun noticed that process rank",
                                             "mpirun has exited due to process rank",
                                             "prterun has exited due to process rank"};
  const std::string_view first = first_line(block);
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](const char* beginning) { return first.rfind(beginning, 0) == 0; });
}

/// "Remote daemon: [[24131,0],1] on node 192.168.1.6": 192.168.1.6.
std::string lost_node_in(std::string_view block) {
  const std::string_view first = first_line(block);
  if (first.rfind("ORTE has lost communication", 0) != 0 && first.rfind("PRTE has lost communication", 0) != 0)
    return {};
  constexpr std::string_view kBefore = " on node ";
  const std::size_t daemon = block.find("Remote daemon:");
  const std::size_t node = daemon == std::string_view::npos ? daemon : block.find(kBefore, daemon);
  if (node == std::string_view::npos) return {};
  const std::size_t begin = node + kBefore.size();
  return std::string(block.substr(begin, block.find_first_of(" \n", begin) - begin));
}

/// "mpirun has exited due to process rank 3 with PID 892 on\nnode b exiting improperly. …": rank 3 on b.
std::string unfinished_rank_in(std::string_view block) {
  if (first_line(block).find(" has exited due to process rank ") == std::string_view::npos) return {};
  std::istringstream words{std::string(block)};
  std::string before, word, rank, node;
  while (node.empty() && words >> word) {
    if (before == "rank" && rank.empty()) rank = word;
    if (before == "node") node = word;
    before = word;
  }
  return node.empty() ? std::string() : "rank " + rank + " on " + node;
}

/// "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD\nwith errorcode 7.": 7, in the eight bits of an
/// exit.
int abort_code_in(std::string_view block) {
  constexpr std::string_view kMark = "with errorcode ";
  const std::size_t at = block.find(kMark);
  if (block.find("MPI_ABORT was invoked") == std::string_view::npos || at == std::string_view::npos) return 0;
  return std::atoi(std::string(block.substr(at + kMark.size(), 12)).c_str()) & 0xFF;
}

}  // namespace

std::string BannerFilter::feed(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (passing_line_) {
      shown += c;
      passing_line_ = c != '\n';
      continue;
    }
    held_ += c;
    if (c == '\n') {
      shown += end_line();
      continue;
    }
    line_ += c;
    if (in_block_ ? held_.size() > kMostHeld : !may_be_dashes(line_) && !may_be_line(line_)) {
      shown += flush();
      passing_line_ = true;
    }
  }
  return shown;
}

std::string BannerFilter::end_line() {
  const std::string line = std::exchange(line_, {});
  const bool dashes = line.size() == kDashes && may_be_dashes(line);
  if (!in_block_) {
    in_block_ = dashes;
    return dashes ? std::string() : release(is_line(line));
  }
  if (!dashes) return {};
  in_block_ = false;
  if (std::string node = lost_node_in(held_); !node.empty()) {
    if (lost_node_.empty()) lost_node_ = std::move(node);
    held_.clear();
    return {};
  }
  if (unfinished_rank_.empty()) unfinished_rank_ = unfinished_rank_in(held_);
  if (abort_code_ == 0) abort_code_ = abort_code_in(held_);
  return release(is_banner(held_));
}

std::string BannerFilter::release(bool drop) {
  std::string text = std::exchange(held_, {});
  if (!drop) return text;
  banners_ += text;
  return {};
}

std::string BannerFilter::flush() {
  in_block_ = false;
  // The rest of a line that has begun follows it.
  passing_line_ = !line_.empty();
  line_.clear();
  return std::exchange(held_, {});
}

}  // namespace ringrun
