#include "launcher/run/last_lines.hpp"

#include "lib/text/record_frame.hpp"

namespace ringrun {
namespace {

constexpr std::size_t kMostLines = 8;
constexpr std::size_t kLongest = 300;
constexpr std::size_t kKept = 8 * kMostLines * kLongest;

}  // namespace

void LastLines::feed(std::string_view text) {
  if (text.size() > kKept) {
    text.remove_prefix(text.size() - kKept);
    tail_.clear();
    cut_ = true;
  }
  tail_ += text;
  if (tail_.size() <= 2 * kKept) return;
  tail_.erase(0, tail_.size() - kKept);
  cut_ = true;
}

std::vector<std::string> LastLines::lines() const {
  std::vector<std::string> found;
  std::string_view rest(tail_);
  while (!rest.empty() && found.size() < kMostLines) {
    if (rest.back() == '\n') rest.remove_suffix(1);
    const std::size_t end = rest.rfind('\n');
    if (end == std::string_view::npos && cut_) break;
    const std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
    std::string line(rest.substr(begin, kLongest));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool is_record = line.compare(0, kRecordBegin.size(), kRecordBegin) == 0;
    if (!is_record && line.find_first_not_of(" \t") != std::string::npos) found.insert(found.begin(), std::move(line));
    rest = rest.substr(0, begin);
  }
  return found;
}

}  // namespace ringrun
