#pragma once

#include <string>
#include <vector>

#include "lib/explain/situation.hpp"

namespace ringrun {

/// The host has an InfiniBand or RoCE card that is up.
bool has_active_adapter(const HostView& host);

/// The cards that lead where the chosen interfaces lead: every active InfiniBand one, and RoCE ones of a chosen
/// interface (of a bond, of its ports) that are as fast as the host's fastest. Empty where that is none, or would leave
/// out the host's fastest kind: then only NCCL and UCX themselves know better.
std::vector<InfinibandDevice> adapters_that_reach(const HostView& host, const HostNetwork& network);

/// NCCL_IB_HCA of this value takes at least one of the cards. NCCL's rule: "^" excludes, "=" is exact, else beginnings
/// of names; a port may stand behind each.
bool takes_adapter(const std::string& ib_hca, const std::vector<InfinibandDevice>& cards);

}  // namespace ringrun
