#include "launcher/cli/app_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "lib/error.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

std::vector<std::string> words_of(const std::string& line, const std::string& where) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (const char c : line) {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else if (c == '#' && !in_word) {
      break;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != '\0') throw UserError(where + ": a quote has no end", "write " + std::string(1, quote) + " twice");
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace

std::vector<std::vector<std::string>> parse_app_file(std::string_view text, const std::string& file) {
  std::vector<std::vector<std::string>> programs;
  int number = 0;
  for (const std::string& line : split_text(text, '\n')) {
    std::vector<std::string> words = words_of(line, file + ":" + std::to_string(++number));
    if (!words.empty()) programs.push_back(std::move(words));
  }
  if (programs.empty()) throw UserError("--app " + file + " names no program", "write -np N PROGRAM on a line");
  return programs;
}

std::vector<std::vector<std::string>> read_app_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad())
    throw UserError("--app " + path + " cannot be read: " + std::strerror(errno), "check its name");
  return parse_app_file(text, path);
}

}  // namespace ringrun
