#include "worker/network/probe_report.hpp"

#include <nlohmann/json.hpp>

namespace ringrun::worker {
namespace {

using nlohmann::json;

/// Addresses come from other hosts' kernels, so they are text, but nothing here shall throw for a strange one.
std::string line_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string to_text(const std::vector<ListeningAddress>& listening) {
  json all = json::array();
  for (const ListeningAddress& one : listening) all.push_back({{"address", one.address}, {"ports", one.ports}});
  return line_of(all);
}

std::vector<ListeningAddress> listening_from(const std::string& text) {
  std::vector<ListeningAddress> all;
  for (const json& one : json::parse(text)) {
    all.push_back({one.at("address").get<std::string>(), one.at("ports").get<std::vector<int>>()});
  }
  return all;
}

std::string to_text(const std::vector<Link>& links) {
  json all = json::array();
  for (const Link& link : links) {
    json attempts = json::array();
    for (const Attempt& attempt : link.attempts) {
      attempts.push_back({attempt.port, static_cast<int>(attempt.outcome), attempt.error, attempt.milliseconds});
    }
    all.push_back({{"from", link.from},
                   {"to", link.to},
                   {"address", link.address},
                   {"attempts", attempts},
                   {"seen_as", link.seen_as},
                   {"source", link.source},
                   {"mtu_tried", link.mtu_tried},
                   {"mtu_passed", link.mtu_passed},
                   {"bulk_passed", link.bulk_passed}});
  }
  return line_of(all);
}

std::vector<Link> links_from(const std::string& text) {
  std::vector<Link> all;
  for (const json& one : json::parse(text)) {
    Link link;
    one.at("from").get_to(link.from);
    one.at("to").get_to(link.to);
    one.at("address").get_to(link.address);
    for (const json& attempt : one.at("attempts")) {
      link.attempts.push_back({attempt.at(0).get<int>(), static_cast<Outcome>(attempt.at(1).get<int>()),
                               attempt.at(2).get<int>(), attempt.at(3).get<int>()});
    }
    one.at("seen_as").get_to(link.seen_as);
    one.at("source").get_to(link.source);
    one.at("mtu_tried").get_to(link.mtu_tried);
    one.at("mtu_passed").get_to(link.mtu_passed);
    one.at("bulk_passed").get_to(link.bulk_passed);
    all.push_back(link);
  }
  return all;
}

}  // namespace ringrun::worker
