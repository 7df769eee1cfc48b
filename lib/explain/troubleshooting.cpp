#include <array>
#include <ostream>
#include <string>
#include <utility>

#include "lib/explain/catalogue.hpp"
#include "lib/explain/host_queries.hpp"

namespace ringrun {
namespace {

const char* mark_of(Coverage coverage) {
  switch (coverage) {
    case Coverage::detected:
      return "yes";
    case Coverage::untested:
      return "yes, untried";
    case Coverage::output:
      return "afterwards";
    case Coverage::documented:
      break;
  }
  return "no";
}

/// A bar would end the cell, even inside a code span.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

/// "N#331, O#599" as links.
std::string links(const std::string& source) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kProjects = {{{"N", "NVIDIA/nccl"},
                                                                             {"NT", "NVIDIA/nccl-tests"},
                                                                             {"O", "open-mpi/ompi"},
                                                                             {"W", "microsoft/WSL"},
                                                                             {"P", "pytorch/pytorch"},
                                                                             {"H", "horovod/horovod"}}};
  std::vector<std::string> made;
  for (std::string part : split(source)) {
    part.erase(0, part.find_first_not_of(' '));
    const std::size_t mark = part.find('#');
    for (const auto& [letters, project] : kProjects) {
      if (part.substr(0, mark) != letters) continue;
      const std::string number = part.substr(mark + 1);
      const std::string name = std::string(project).substr(std::string(project).find('/') + 1);
      made.push_back("[" + name + "#" + number + "](https://github.com/" + project + "/issues/" + number + ")");
    }
  }
  return join(made);
}

}  // namespace

void print_troubleshooting(std::ostream& out) {
  out << "# Troubleshooting\n\n"
         "What goes wrong when a job spans machines, how ringrun tells, and what mends it. A launch is checked before\n"
         "anything starts: an error stops it with exit code 3, a warning does not. `ringrun --doctor` runs every check "
         "and\n"
         "stops. A failure that shows only later is recognised in what the job printed.\n\n"
         "The column \"found\" says how well a row is covered: **yes**, a check finds it before the launch; **yes,\n"
         "untried**, a check exists that has only met made-up facts, since it needs Windows or a certain card;\n"
         "**afterwards**, it is recognised in the output of a failed job; **no**, it cannot be told from here, and is "
         "only\n"
         "described.\n\n"
         "This page is printed from the rules themselves (`lib/explain/rules`); a test keeps the two alike.\n";
  std::string group;
  for (const CatalogueRow& row : catalogue()) {
    if (row.group != group) {
      group = row.group;
      out << "\n## " << group
          << "\n\n| id | what people see | cause | how ringrun tells | what mends it | found | reported in |\n"
             "| --- | --- | --- | --- | --- | --- | --- |\n";
    }
    out << "| " << row.id << " | " << cell(row.seen) << " | " << cell(row.cause) << " | " << cell(row.detect) << " | "
        << cell(row.fix) << " | " << mark_of(row.coverage) << " | " << links(row.source) << " |\n";
  }
}

}  // namespace ringrun
