#include "launcher/run/banner_filter.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ringrun {
namespace {

// Open MPI 4.1 and PRRTE 3 draw this many.
constexpr std::size_t kDashes = 74;
constexpr std::size_t kMostHeld = 4096;

bool may_be_dashes(std::string_view line) {
  return line.size() <= kDashes && line.find_first_not_of('-') == std::string_view::npos;
}

bool is_banner(std::string_view block) {
  static constexpr std::array kBeginnings = {"Primary job  terminated normally, but",
                                             "mpirun detected that one or more processes exited with non-zero",
                                             "prterun detected that one or more processes exited with non-zero",
                                             "mpirun noticed that process rank", "prterun noticed that process rank"};
  const std::string_view first = block.substr(std::min(block.find('\n') + 1, block.size()));
  return std::any_of(kBeginnings.begin(), kBeginnings.end(), [&](const char* beginning) {
    return first.substr(0, std::string_view(beginning).size()) == beginning;
  });
}

/// "ringrun: rank 1 on b (GPU 0): exited with code 3": 3; "killed by signal 9 (SIGKILL)": 137.
std::optional<int> code_in(const std::string& line) {
  for (const auto& [words, base] : {std::pair{"exited with code ", 0}, std::pair{"killed by signal ", 128}}) {
    const std::size_t at = line.find(words);
    if (at != std::string::npos) return base + std::atoi(line.c_str() + at + std::strlen(words));
  }
  return std::nullopt;
}

}  // namespace

std::string BannerFilter::feed(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (is_mark(c)) continue;
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
    if (in_block_ ? held_.size() > kMostHeld : !may_be_dashes(line_)) {
      shown += flush();
      passing_line_ = true;
    }
  }
  return shown;
}

std::string BannerFilter::end_line() {
  const bool dashes = line_.size() == kDashes && may_be_dashes(line_);
  line_.clear();
  if (in_block_ && !dashes) return {};
  if (!in_block_ && dashes) {
    in_block_ = true;
    return {};
  }
  const bool drop = in_block_ && is_banner(held_);
  std::string block = flush();
  if (!drop) return block;
  banners_ += block;
  return {};
}

bool BannerFilter::is_mark(char c) {
  constexpr std::size_t kLongestLine = 512;
  if (at_line_start_ && c == kWrapperMark) {
    marked_ = true;
    at_line_start_ = false;
    return true;
  }
  at_line_start_ = c == '\n';
  if (at_line_start_) {
    if (marked_ && !first_failure_) first_failure_ = code_in(last_line_);
    marked_ = false;
    last_line_.clear();
  } else if (marked_ && last_line_.size() < kLongestLine) {
    last_line_ += c;
  }
  return false;
}

std::string BannerFilter::without_marks(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    if (!is_mark(c)) clean += c;
  }
  return clean;
}

std::string BannerFilter::finish() {
  const std::string rest = flush();
  return first_failure_ ? rest : rest + std::exchange(banners_, {});
}

std::string BannerFilter::flush() {
  in_block_ = false;
  // The rest of a line that has begun follows it.
  passing_line_ = !line_.empty();
  line_.clear();
  return std::exchange(held_, {});
}

}  // namespace ringrun
