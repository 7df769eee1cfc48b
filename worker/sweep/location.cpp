#include "worker/sweep/location.hpp"

#include <fmt/format.h>

#include <sstream>

#include "lib/host/host_name.hpp"

namespace ringrun::worker {
namespace {

std::string location_of(const Operation& operation, const WrongElements& wrong, const Team& team) {
  const std::string group = team.groups() > 1 ? fmt::format(" (group {})", team.group()) : "";
  const std::string when = wrong.iteration < 0 ? "" : fmt::format(" after timed iteration {}", wrong.iteration);
  const std::string where =
      operation.begin == 0 ? "" : fmt::format(" {} elements from the begin of the buffers", operation.begin);
  return fmt::format("rank {} on {}{}: {} wrong in the {}{}{}, first at element {} of {}: expected {}, got {}",
                     rank_in_job(team, wrong.rank, operation.ranks), short_host_name(host_name()), group, wrong.count,
                     text_of(operation), where, when, wrong.first_index, operation.layout.receive, wrong.expected,
                     wrong.got);
}

}  // namespace

std::string locations_of(const Operation& operation, const std::vector<WrongElements>& wrong, const Team& team) {
  std::string lines;
  for (const WrongElements& of_rank : wrong) {
    if (of_rank.count > 0) lines += location_of(operation, of_rank, team) + "\n";
  }
  return lines;
}

std::vector<std::string> lines_of(const std::vector<std::string>& texts) {
  std::vector<std::string> lines;
  for (const std::string& text : texts) {
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) lines.push_back(line);
  }
  return lines;
}

}  // namespace ringrun::worker
