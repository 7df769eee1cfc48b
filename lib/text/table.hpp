#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace ringrun {

/// Rows of text under a heading, each column as wide as its widest cell. Columns that hold only numbers are aligned to
/// the right.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) : heading_(std::move(heading)) {}

  /// Throws std::invalid_argument where the number of cells is not the heading's.
  void add_row(std::vector<std::string> cells);

  /// Two blanks between columns, no blank at a line's end.
  void print(std::ostream& out) const;

 private:
  std::vector<std::string> heading_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ringrun
