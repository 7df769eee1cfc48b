#include "lib/host/ancestors.hpp"

#include <cstdlib>
#include <string>

#include "lib/host/host_file.hpp"

namespace ringrun {
namespace {

int parent_of(const std::filesystem::path& process) {
  for (const std::string& line : read_lines(process / "status")) {
    if (line.rfind("PPid:", 0) == 0) return std::atoi(line.c_str() + 5);
  }
  return 0;
}

}  // namespace

std::vector<int> ancestors(const std::filesystem::path& proc) {
  constexpr std::size_t kMost = 16;
  std::vector<int> found;
  for (int process = parent_of(proc / "self"); process > 0 && found.size() < kMost;
       process = parent_of(proc / std::to_string(process))) {
    found.push_back(process);
  }
  return found;
}

}  // namespace ringrun
