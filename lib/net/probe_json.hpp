#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/net/probe_endpoint.hpp"
#include "lib/net/reachability.hpp"

namespace ringrun {

/// What hosts tell each other about their probes, as one line of JSON each. Reading throws UserError where the text is
/// something else.
std::string to_json(const std::vector<ListeningAddress>& addresses);
std::vector<ListeningAddress> listening_addresses_from_json(std::string_view text);
std::string to_json(const std::vector<Link>& links);
std::vector<Link> links_from_json(std::string_view text);

}  // namespace ringrun
