#include "tests/lab/drop_in_line.hpp"

#include <cctype>
#include <fstream>
#include <ostream>
#include <regex>
#include <stdexcept>

namespace ringrun::test {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// At " | ": a pipe of the command line's own stands before another word too, so at most four cells.
std::vector<std::string> cells(const std::string& line) {
  static const std::regex row("([^|]*)\\| ([45 ]+)\\| (.*?)( \\| (exits|like) (.*): (.*))?");
  std::smatch match;
  if (!std::regex_match(line, match, row)) return {};
  return {trimmed(match[1]), trimmed(match[2]), trimmed(match[3]), match[5], trimmed(match[6]), trimmed(match[7])};
}

DropInDifference difference(const std::string& kind, const std::string& words, const std::string& reason) {
  if (kind == "exits") return {DropInDifference::Kind::exits, std::stoi(words), "", reason};
  return {DropInDifference::Kind::like, 0, words, reason};
}

}  // namespace

std::string DropInLine::test_name() const {
  std::string name;
  bool upper = true;
  for (const char letter : title) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) {
      upper = upper || letter == ' ';
      continue;
    }
    name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
    upper = false;
  }
  return name;
}

void PrintTo(const DropInLine& line, std::ostream* stream) { *stream << line.command; }

std::vector<DropInLine> read_drop_in_lines(const std::string& path, int engine) {
  static const std::regex heading("== (\\w+) on (\\w+): .*");
  std::vector<DropInLine> rows;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::string called, host;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::smatch match;
    if (line.empty() || line[0] == '#') continue;
    if (std::regex_match(line, match, heading)) {
      called = match[1];
      host = match[2];
      continue;
    }
    const auto row = cells(line);
    if (row.empty() || called.empty()) throw std::runtime_error(path + ":" + std::to_string(number) + ": not a row");
    if (row[1].find(std::to_string(engine)) == std::string::npos) continue;
    rows.push_back({row[0], called, host, engine, row[2], std::nullopt});
    if (!row[3].empty()) rows.back().difference = difference(row[3], row[4], row[5]);
  }
  return rows;
}

}  // namespace ringrun::test
