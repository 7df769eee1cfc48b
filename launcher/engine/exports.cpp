#include "launcher/engine/exports.hpp"

#include <algorithm>
#include <array>

#include "lib/error.hpp"

namespace ringrun {
namespace {

bool begins_with(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

// mpirun carries OMPI_* and PMIX_* alone. TORCHELASTIC_* of an outer torchrun would make PyTorch wait for its agent.
bool travels(const std::string& name) {
  static constexpr std::array kBeginnings = {"NCCL_", "UCX_", "OMP_", "GLOO_", "TORCH_"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](const char* beginning) { return begins_with(name, beginning); });
}

}  // namespace

Exports resolve_exports(const std::vector<std::string>& words, const Environment& environment) {
  Exports exports;
  for (const auto& [name, value] : environment) {
    if (travels(name)) exports.forwarded.emplace(name, value);
  }
  // NVML and nvidia-smi count by bus id, CUDA by speed unless told.
  exports.forwarded.emplace("CUDA_DEVICE_ORDER",
                            find_variable(environment, "CUDA_DEVICE_ORDER").value_or("PCI_BUS_ID"));
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (name.empty() || name == "*" || name.find(' ') != std::string::npos ||
        (equals != std::string::npos && name.find('*') != std::string::npos))
      throw UserError("-x '" + word + "' names no variable", "write -x NAME, NAME=VALUE or NAME*");
    if (equals != std::string::npos) {
      exports.asked.insert_or_assign(name, word.substr(equals + 1));
    } else if (name.back() == '*') {
      const std::string beginning = name.substr(0, name.size() - 1);
      for (auto it = environment.lower_bound(beginning); it != environment.end() && begins_with(it->first, beginning);
           ++it) {
        exports.asked.insert_or_assign(it->first, it->second);
      }
    } else if (const auto value = find_variable(environment, name)) {
      exports.asked.insert_or_assign(name, *value);
    } else {
      exports.warnings.push_back("-x " + name + ": the variable is not set here, so the ranks do not get it");
    }
  }
  for (const auto& [name, value] : exports.asked) exports.forwarded.erase(name);
  for (const char* name : kRankVariables) {
    if (exports.asked.erase(name) == 0) continue;
    exports.warnings.push_back(std::string("-x ") + name + ": every rank gets its own value instead");
  }
  return exports;
}

}  // namespace ringrun
