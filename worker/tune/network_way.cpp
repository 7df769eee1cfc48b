#include "worker/tune/network_way.hpp"

#include <algorithm>

namespace ringrun::worker {
namespace {

constexpr const char* kNetwork = "NET/";
constexpr const char* kSockets = "NET/Socket";
/// Of NCCL itself, and of the plugin that comes with NVIDIA's HPC-X ("IBext_v8"), which reads the same variables.
constexpr const char* kInfiniband = "NET/IB";

}  // namespace

NetworkWay network_way(const std::vector<std::string>& transports, const std::vector<TunedHost>& hosts) {
  NetworkWay way;
  std::vector<std::string> sorted = transports;
  std::sort(sorted.begin(), sorted.end());
  const auto begins = [&](const char* begin) {
    return std::find_if(sorted.begin(), sorted.end(), [&](const auto& name) { return name.rfind(begin, 0) == 0; });
  };
  for (std::size_t i = 0; i < sorted.size(); ++i)
    way.ways += (i == 0 ? "" : i + 1 == sorted.size() ? " and " : ", ") + sorted[i];
  const auto network = begins(kNetwork);
  if (begins(kSockets) != sorted.end() || sorted.empty()) {
    if (sorted.empty()) way.ways = "what NCCL does not name, here taken for sockets";
    way.settings = socket_settings(hosts);
  } else if (begins(kInfiniband) != sorted.end()) {
    way.settings = infiniband_settings(hosts);
  } else if (network != sorted.end()) {
    way.why_none = "NCCL reaches the other ranks by " + *network + ", a plugin whose settings are its own";
  } else {
    way.why_none =
        "no rank reaches another one by a network, and what is tuned here are the settings of the network; "
        "NCCL_P2P_DISABLE=1 and NCCL_SHM_DISABLE=1 would make it use one";
  }
  return way;
}

std::string last_warning(const std::string& said) {
  constexpr std::string_view kMark = "NCCL WARN ";
  const std::size_t at = said.rfind(kMark);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + kMark.size();
  return "; NCCL: " + said.substr(begin, std::min(said.find('\n', begin), said.size()) - begin);
}

}  // namespace ringrun::worker
