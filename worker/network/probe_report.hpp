#pragma once

#include <string>
#include <vector>

#include "lib/net/probe_endpoint.hpp"
#include "lib/net/reachability.hpp"

namespace ringrun::worker {

/// What the leaders of the hosts tell each other about their probes, as one line of text each. Reading throws
/// nlohmann::json::exception where the text is something else.

std::string to_text(const std::vector<ListeningAddress>& listening);
std::vector<ListeningAddress> listening_from(const std::string& text);

std::string to_text(const std::vector<Link>& links);
std::vector<Link> links_from(const std::string& text);

}  // namespace ringrun::worker
