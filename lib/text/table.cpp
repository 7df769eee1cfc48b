#include "lib/text/table.hpp"

#include <algorithm>
#include <ostream>
#include <stdexcept>

namespace ringrun {
namespace {

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.-+") == std::string::npos;
}

void print_row(std::ostream& out, const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
               const std::vector<bool>& right) {
  std::string line;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const std::string padding(widths[column] - cells[column].size(), ' ');
    line += (column == 0 ? "" : "  ") + (right[column] ? padding + cells[column] : cells[column] + padding);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != heading_.size()) throw std::invalid_argument("Table: a row has another number of cells");
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t column = 0; column < heading_.size(); ++column) {
    std::size_t width = heading_[column].size();
    bool numbers = !rows_.empty();
    for (const auto& row : rows_) {
      width = std::max(width, row[column].size());
      numbers = numbers && is_number(row[column]);
    }
    widths.push_back(width);
    right.push_back(numbers);
  }
  print_row(out, heading_, widths, right);
  for (const auto& row : rows_) print_row(out, row, widths, right);
}

}  // namespace ringrun
