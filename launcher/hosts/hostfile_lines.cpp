#include "launcher/hosts/hostfile_lines.hpp"

#include "lib/error.hpp"

namespace ringrun {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

}  // namespace

std::vector<HostfileLine> split_hostfile(std::string_view content, const std::string& file) {
  if (content.substr(0, 3) == "\xEF\xBB\xBF") content.remove_prefix(3);
  enum class Within { text, comment, attributes, block } within = Within::text;
  std::vector<HostfileLine> lines{{1, "", "", false}};
  int block_line = 0;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const char c = content[i];
    const std::string_view pair = content.substr(i, 2);
    if (c == '\n') {
      if (within != Within::block) within = Within::text;
      lines.push_back({static_cast<int>(lines.size()) + 1, "", "", false});
    } else if (within == Within::block) {
      if (pair == "*/") {
        within = Within::text;
        ++i;
      }
    } else if (within == Within::attributes) {
      lines.back().attributes += c;
    } else if (within == Within::text) {
      if (pair == "#:") {
        within = Within::attributes;
        lines.back().has_attributes = true;
        ++i;
      } else if (c == '#' || pair == "//") {
        within = Within::comment;
      } else if (pair == "/*") {
        within = Within::block;
        block_line = lines.back().number;
        lines.back().text += ' ';
        ++i;
      } else {
        lines.back().text += c;
      }
    }
  }
  if (within == Within::block) {
    throw UserError(file + ":" + std::to_string(block_line) + ": the comment that begins with /* has no end",
                    "end it with */");
  }
  return lines;
}

std::vector<HostfileWord> split_words(std::string_view text, const std::string& where, bool quotes) {
  std::vector<HostfileWord> words;
  std::size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < text.size() && is_blank(text[at])) ++at;
  };
  const auto take_value = [&] {
    std::string value;
    if (quotes && at < text.size() && text[at] == '"') {
      const std::size_t close = text.find('"', at + 1);
      if (close == std::string_view::npos) {
        throw UserError(where + ": a quote has no partner: '" + std::string(text.substr(at)) + "'", "close the quote");
      }
      value = text.substr(at + 1, close - at - 1);
      at = close + 1;
      return value;
    }
    while (at < text.size() && !is_blank(text[at])) value += text[at++];
    return value;
  };
  for (skip_blanks(); at < text.size(); skip_blanks()) {
    HostfileWord word;
    while (at < text.size() && !is_blank(text[at]) && text[at] != '=') word.name += text[at++];
    const std::size_t end = at;
    skip_blanks();
    if (at < text.size() && text[at] == '=') {
      ++at;
      skip_blanks();
      word.has_value = true;
      word.value = take_value();
    } else {
      at = end;
    }
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace ringrun
