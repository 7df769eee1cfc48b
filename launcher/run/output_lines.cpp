#include "launcher/run/output_lines.hpp"

#include <array>
#include <utility>

namespace ringrun {
namespace {

// A line may be of any length; what is held back may not.
constexpr std::size_t kMostHeld = std::size_t{64} << 10;

}  // namespace

OutputLines::OutputLines(const OutputStyle& style, int rank, std::string stream)
    : timestamp_(style.timestamp), marked_(style.tag || style.timestamp) {
  if (style.tag) mark_ = "[1," + std::to_string(rank) + "]";
  mark_ += "<" + std::move(stream) + ">:";
}

std::string OutputLines::feed(std::string_view text, std::time_t now) {
  if (!marked_) return std::string(text);
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    held_ += text.substr(0, length);
    text.remove_prefix(length);
    if (end == std::string_view::npos && held_.size() < kMostHeld) break;
    shown += flush(now);
    in_line_ = end == std::string_view::npos;
  }
  return shown;
}

std::string OutputLines::flush(std::time_t now) {
  if (held_.empty()) return {};
  std::string text = in_line_ ? std::string() : beginning(now);
  in_line_ = held_.back() != '\n';
  return text + std::exchange(held_, {});
}

std::string OutputLines::beginning(std::time_t now) const {
  if (!timestamp_) return mark_;
  std::array<char, 32> text{};
  ctime_r(&now, text.data());
  std::string stamp(text.data());
  stamp.pop_back();
  return stamp + mark_;
}

}  // namespace ringrun
