#include <algorithm>
#include <string>

#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"

namespace ringrun {
namespace {

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address == "::1" || address == "localhost";
}

/// Rank 0 listens there itself: the address must be one of its host's, or a name that may mean one.
bool may_be_of(const HostView& host, const std::string& address) {
  if (address == host.name || address == host.address || address == host.facts.hostname) return true;
  const bool numeric = address.find_first_not_of("0123456789.") == std::string::npos;
  if (!numeric) return true;
  return find_address(host.facts.interfaces, address) != nullptr;
}

}  // namespace

void find_wrong_rendezvous(const Situation& situation, Findings& out) {
  const std::vector<const HostView*> hosts = rank_hosts(situation);
  if (hosts.size() < 2) return;
  const HostView& first = *hosts.front();
  const auto address = rank_variable(first, "MASTER_ADDR");
  const bool elsewhere = address && std::any_of(hosts.begin() + 1, hosts.end(), [&](const HostView* host) {
                           return *address == host->name || *address == host->address;
                         });
  if (address && (is_loopback(*address) || elsewhere || !may_be_of(first, *address))) {
    out.push_back(
        {"F6",
         Severity::warning,
         {first.name},
         "MASTER_ADDR=" + *address + ", and rank 0 runs on " + first.name,
         is_loopback(*address) ? "Every host would look for rank 0 on itself."
                               : "Rank 0 listens at an address of its own host; the others would wait for ever.",
         "unset MASTER_ADDR   # or leave it out of -x and env.: ringrun finds the address that all hosts reach",
         ""});
  }
  const auto port = rank_variable(first, "MASTER_PORT");
  if (!port || !situation.ports) return;
  const int number = std::atoi(port->c_str());
  if (number >= situation.ports->first && number <= situation.ports->last) return;
  out.push_back({"F6",
                 Severity::warning,
                 {first.name},
                 "MASTER_PORT=" + *port + " lies outside --port-range " + std::to_string(situation.ports->first) + "-" +
                     std::to_string(situation.ports->last),
                 "The firewall that made you name a range stops it.",
                 "# leave MASTER_PORT out, or take one of the range:\nringrun --master-port " +
                     std::to_string(situation.ports->last) + " …",
                 ""});
}

}  // namespace ringrun
