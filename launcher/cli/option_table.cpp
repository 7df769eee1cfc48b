#include "launcher/cli/option_table.hpp"

#include <algorithm>

#include "launcher/cli/option_groups.hpp"

namespace ringrun {
namespace {

OptionRows make_table() {
  OptionRows table;
  const auto add = [&](Topic topic, OptionRows rows) {
    for (OptionRow& row : rows) {
      row.topic = topic;
      table.push_back(std::move(row));
    }
  };
  add(Topic::ranks, rank_options());
  add(Topic::mapping, mapping_options());
  add(Topic::environment, environment_options());
  add(Topic::output, output_options());
  add(Topic::running, running_options());
  add(Topic::running, preload_options());
  add(Topic::ringrun, ringrun_options());
  add(Topic::engine, engine_options());
  return table;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

const OptionRows& option_table() {
  static const OptionRows table = make_table();
  return table;
}

const OptionRow* find_option(std::string_view spelling) {
  for (const OptionRow& row : option_table()) {
    if (std::find(row.spellings.begin(), row.spellings.end(), spelling) != row.spellings.end()) return &row;
  }
  return nullptr;
}

std::string nearest_spelling(std::string_view word) {
  std::string nearest;
  std::size_t least = 3;
  for (const OptionRow& row : option_table()) {
    for (const std::string& spelling : row.spellings) {
      const std::size_t distance = edit_distance(word, spelling);
      // Short options are near everything.
      if (distance < least && distance + 2 < spelling.size()) {
        least = distance;
        nearest = spelling;
      }
    }
  }
  return nearest;
}

}  // namespace ringrun
