#include "tests/support/sweep_rows.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

namespace ringrun::test {

std::vector<SweepRow> sweep_rows(const std::string& table) {
  std::vector<SweepRow> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream text(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (words.size() != 13 || words[0].find_first_not_of("0123456789") != std::string::npos) continue;
    rows.push_back({std::stoll(words[0]), words[2], words[3], words[4], words[8], words[12]});
  }
  return rows;
}

void expect_right_rows(const std::string& table, long long lowest, long long highest, int factor) {
  const auto rows = sweep_rows(table);
  std::size_t next = 0;
  for (long long bytes = lowest; bytes <= highest; bytes *= factor, ++next) {
    ASSERT_LT(next, rows.size()) << "no row for " << bytes << " bytes in\n" << table;
    EXPECT_EQ(rows[next].bytes, bytes);
    EXPECT_EQ(rows[next].wrong_out_of_place, "0") << bytes << " bytes";
    EXPECT_EQ(rows[next].wrong_in_place, "0") << bytes << " bytes";
  }
  EXPECT_EQ(rows.size(), next);
}

}  // namespace ringrun::test
