#include "lib/gpu/gpu.hpp"

namespace ringrun {

std::vector<Gpu> gpus_of(const Machine& machine) {
  std::vector<Gpu> gpus;
  for (const MachineGpu& found : machine.gpus) {
    Gpu& gpu = gpus.emplace_back();
    gpu.index = static_cast<int>(gpus.size()) - 1;
    gpu.bus_id = found.place.bus_id;
    gpu.uuid = found.uuid;
    gpu.name = found.name;
  }
  return gpus;
}

}  // namespace ringrun
