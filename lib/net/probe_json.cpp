#include "lib/net/probe_json.hpp"

#include <nlohmann/json.hpp>

#include "lib/error.hpp"

namespace ringrun {

// nlohmann finds these by the namespace of their types.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ListeningAddress, address, ports)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Attempt, port, outcome, error, milliseconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Link, from, to, address, attempts, seen_as, source, mtu_tried, mtu_passed,
                                   bulk_passed)

namespace {

using Json = nlohmann::json;

// Addresses are text of other hosts' kernels: a strange byte in one is no reason to throw.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <typename Value>
Value value_from(std::string_view text, const char* what) try {
  return Json::parse(text).get<Value>();
} catch (const Json::exception& error) {
  throw UserError(std::string("the ") + what + " cannot be read: " + error.what(),
                  "put the same version of ringrun on every host");
}

}  // namespace

std::string to_json(const std::vector<ListeningAddress>& addresses) { return line_of(addresses); }

std::vector<ListeningAddress> listening_addresses_from_json(std::string_view text) {
  return value_from<std::vector<ListeningAddress>>(text, "list of a host's addresses");
}

std::string to_json(const std::vector<Link>& links) { return line_of(links); }

std::vector<Link> links_from_json(std::string_view text) {
  return value_from<std::vector<Link>>(text, "list of a host's links");
}

}  // namespace ringrun
