#include "lib/explain/catalogue.hpp"

#include <iterator>

#include "lib/explain/rules/rows.hpp"

namespace ringrun {

const std::vector<CatalogueRow>& catalogue() {
  static const std::vector<CatalogueRow> all = [] {
    std::vector<CatalogueRow> rows;
    for (const auto& group :
         {wsl2_rows, container_rows, interface_rows, network_rows, version_rows, gpu_rows, launcher_rows, slow_rows}) {
      std::vector<CatalogueRow> more = group();
      rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    return rows;
  }();
  return all;
}

Findings find_faults(const Situation& situation) {
  Findings findings;
  for (const CatalogueRow& row : catalogue()) {
    if (row.rule) row.rule(situation, findings);
  }
  return arrange(std::move(findings));
}

}  // namespace ringrun
