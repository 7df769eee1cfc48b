#pragma once

#include <string>
#include <vector>

#include "worker/tune/setting.hpp"

namespace ringrun::worker {

/// What joins the ranks, and what can be tuned about it.
struct NetworkWay {
  std::string ways;                    ///< "NET/Socket and P2P"
  std::vector<TunedSetting> settings;  ///< to try, the most promising ones first
  std::string why_none;                ///< where there are none
};

/// `transports` as NCCL names them; none: it did not say.
NetworkWay network_way(const std::vector<std::string>& transports, const std::vector<TunedHost>& hosts);

/// NCCL's last warning in what a trial printed, as "; NCCL: …"; "" where there is none.
std::string last_warning(const std::string& said);

}  // namespace ringrun::worker
