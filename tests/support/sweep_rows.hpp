#pragma once

#include <string>
#include <vector>

namespace ringrun::test {

struct SweepRow {
  long long bytes = 0;
  std::string type;
  std::string op;
  std::string root;
  std::string wrong_out_of_place;
  std::string wrong_in_place;
};

/// The rows of a sweep's table: the lines that are no comments and have its 13 columns.
std::vector<SweepRow> sweep_rows(const std::string& table);

/// Fails where the rows are not lowest, factor × lowest, … up to highest, each with 0 wrong values.
void expect_right_rows(const std::string& table, long long lowest, long long highest, int factor = 2);

}  // namespace ringrun::test
