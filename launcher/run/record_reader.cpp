#include "launcher/run/record_reader.hpp"

#include <algorithm>

namespace ringrun {

std::string RecordReader::feed(std::string_view text, std::vector<Record>& found) {
  std::string passed;
  while (!text.empty()) {
    if (at_record_end_) {
      at_record_end_ = false;
      if (text[0] == '\n') {
        text.remove_prefix(1);
        continue;
      }
    }
    if (held_.empty()) {
      const std::size_t begin = std::min(text.find(kRecordBegin[0]), text.size());
      passed += text.substr(0, begin);
      text.remove_prefix(begin);
      if (text.empty()) break;
    }
    const char c = text[0];
    const bool fits = begun() || c == kRecordBegin[held_.size()];
    if (!fits || held_.size() >= kMostRecord) {
      // This character may begin a record itself.
      passed += std::exchange(held_, {});
      if (c == kRecordBegin[0]) continue;
      passed += c;
      text.remove_prefix(1);
      continue;
    }
    held_ += c;
    text.remove_prefix(1);
    if (c != kRecordEnd) continue;
    if (end_record(found)) {
      held_.clear();
      at_record_end_ = true;
    } else {
      passed += std::exchange(held_, {});
    }
  }
  return passed;
}

bool RecordReader::end_record(std::vector<Record>& found) {
  std::string_view record(held_);
  record.remove_prefix(kRecordBegin.size());
  record.remove_suffix(1);
  const std::size_t colon = record.find(':');
  if (colon == std::string_view::npos) return false;
  std::optional<Record> parsed = parse_record(record.substr(colon + 1));
  if (!parsed) return false;
  if (record.substr(0, colon) == run_id_) found.push_back(std::move(*parsed));
  return true;
}

}  // namespace ringrun
