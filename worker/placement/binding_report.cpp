#include "worker/placement/binding_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "lib/text/table.hpp"
#include "lib/text/words.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun::worker {
namespace {

using nlohmann::json;
using Cells = std::vector<std::string>;

Cells cells_of(const BindingRow& row) {
  return {row.host, row.cpus, row.numa, row.memory, row.gpu, row.nics, row.hcas};
}

/// But for rank and host, those in which some row says something.
std::vector<std::size_t> telling_columns(const std::vector<Cells>& rows) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < rows[0].size(); ++column) {
    const bool tells =
        std::any_of(rows.begin() + 1, rows.end(), [&](const Cells& row) { return !row[column].empty(); });
    if (tells) columns.push_back(column);
  }
  return columns;
}

}  // namespace

std::string to_text(const std::vector<BindingRow>& rows) {
  json array = json::array();
  for (const BindingRow& row : rows) array.push_back(cells_of(row));
  return array.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<BindingRow> binding_rows_from(const std::string& text) {
  std::vector<BindingRow> rows;
  for (const json& row : json::parse(text)) {
    rows.push_back({row.at(0), row.at(1), row.at(2), row.at(3), row.at(4), row.at(5), row.at(6)});
  }
  return rows;
}

std::vector<std::string> binding_lines(const std::vector<BindingRow>& rows) {
  std::vector<Cells> cells{{"rank", "host", "cpus", "numa", "memory", "gpu", "nics", "hcas"}};
  for (const BindingRow& row : rows) {
    Cells& added = cells.emplace_back(cells_of(row));
    added.insert(added.begin(), std::to_string(cells.size() - 2));
  }
  const std::vector<std::size_t> columns = telling_columns(cells);
  const auto kept = [&](const Cells& row) {
    Cells result;
    for (const std::size_t column : columns) result.push_back(row[column].empty() ? "-" : row[column]);
    return result;
  };
  Table table(kept(cells[0]));
  for (std::size_t i = 1; i < cells.size(); ++i) table.add_row(kept(cells[i]));
  std::stringstream printed;
  table.print(printed);
  std::vector<std::string> lines{"Bindings, as the ranks have them"};
  for (std::string line; std::getline(printed, line);) lines.push_back(" " + line);
  return lines;
}

std::vector<std::string> placement_lines(const std::vector<ProcessFacts>& facts, int ranks_of_process) {
  std::vector<std::pair<std::string, std::vector<int>>> kinds;
  for (std::size_t process = 0; process < facts.size(); ++process) {
    const std::string& text = facts[process].placement;
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& other) { return other.first == text; });
    if (kind == kinds.end()) kind = kinds.insert(kind, {text, {}});
    for (int i = 0; i < ranks_of_process; ++i) kind->second.push_back(static_cast<int>(process) * ranks_of_process + i);
  }
  std::vector<std::string> lines;
  for (const auto& [text, ranks] : kinds) {
    const std::string of = kinds.size() == 1   ? ""
                           : ranks.size() == 1 ? " of rank " + std::to_string(ranks[0])
                                               : " of ranks " + format_cpu_list(ranks);
    if (!text.empty()) lines.push_back("Placement" + of + ": " + text);
  }
  return lines;
}

}  // namespace ringrun::worker
