#include "lib/topology/core_siblings.hpp"

#include <fstream>
#include <set>
#include <string>

namespace ringrun {

int core_count_of(const std::vector<int>& cpus, const std::filesystem::path& root) {
  std::set<std::string> cores;
  for (const int cpu : cpus) {
    const std::string number = std::to_string(cpu);
    std::string siblings = number;
    std::ifstream file(root / "sys/devices/system/cpu" / ("cpu" + number) / "topology/thread_siblings_list");
    std::getline(file, siblings);
    cores.insert(siblings.empty() ? number : siblings);
  }
  return static_cast<int>(cores.size());
}

}  // namespace ringrun
