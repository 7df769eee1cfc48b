#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "launcher/job/rank_layout.hpp"
#include "lib/error.hpp"

namespace ringrun {

std::vector<RankRow> parse_rankfile(std::string_view text) {
  std::vector<RankRow> rows;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    // "rank 0 = a slot=1": blanks may stand around the sign.
    if (const std::size_t equals = line.find('='); equals != std::string::npos) line[equals] = ' ';
    std::istringstream words(line);
    std::string word;
    RankRow row;
    if (!(words >> word) || word != "rank" || !(words >> row.rank >> row.host)) continue;
    if (row.host.front() == '+') return {};
    if (const std::size_t at = row.host.find('@'); at != std::string::npos) row.host.erase(0, at + 1);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<RankRow> read_rankfile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad())
    throw UserError("--rankfile " + path + " cannot be read: " + std::strerror(errno), "check its name");
  return parse_rankfile(text);
}

}  // namespace ringrun
