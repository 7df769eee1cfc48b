#include "launcher/job/rendezvous.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <charconv>

#include "launcher/launch_errors.hpp"
#include "lib/net/free_port.hpp"
#include "lib/net/interface.hpp"

namespace ringrun {
namespace {

bool is_address(const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 || inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

bool is_loopback(const std::string& address) { return address.rfind("127.", 0) == 0 || address == "::1"; }

std::optional<std::string> find_said(const std::string& name, const Host& host, const Said& said,
                                     const std::optional<std::string>& option) {
  if (const auto value = find_variable(said.exports.asked, name)) return value;
  if (option) return option;
  if (const auto value = find_variable(host.attributes.environment, name)) return value;
  return find_variable(said.environment, name);
}

int parse_port(const std::string& text) {
  int port = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (code != std::errc{} || end != text.data() + text.size() || port < 1 || port > 65535) {
    throw UserError("MASTER_PORT '" + text + "' is no TCP port",
                    "write a whole number from 1 to 65535, or leave it off");
  }
  return port;
}

std::string choose_address(const Host& host, const HostAnswer& answer, bool single_host) {
  if (single_host) return "127.0.0.1";
  if (is_address(host.name) && !is_loopback(host.name)) return host.name;
  if (!answer.address.empty() && !is_loopback(answer.address)) return answer.address;
  for (const Interface& interface : answer.facts.interfaces) {
    if (interface.up && leads_outside(interface)) return interface.ipv4[0].ip;
  }
  // Hosts that share one loopback (network namespaces apart, nothing else does) can still meet on it.
  if (is_address(host.name)) return host.name;
  throw HostError(host.name + " has no address that other hosts can reach",
                  "name the host by its address in the hostfile, or say it with -x MASTER_ADDR=ADDRESS");
}

}  // namespace

int said_master_port(const Host& first, const Said& said) {
  const auto option = said.master_port ? std::optional(std::to_string(*said.master_port)) : std::nullopt;
  const auto port = find_said("MASTER_PORT", first, said, option);
  return port ? parse_port(*port) : 0;
}

int fresh_port(int before, bool said, bool local, const std::optional<PortRange>& allowed) {
  if (said) return before;
  if (allowed) return before < allowed->last ? before + 1 : allowed->first;
  const int next = local ? find_free_port(before + 1) : before + 1;
  return next > 0 && next <= 65535 ? next : before;
}

Rendezvous choose_rendezvous(const Host& host, const HostAnswer& answer, bool single_host,
                             const std::string& reached_address, const Said& said) {
  Rendezvous rendezvous;
  if (const auto address = find_said("MASTER_ADDR", host, said, std::nullopt)) {
    rendezvous.address = *address;
  } else {
    rendezvous.address = reached_address.empty() ? choose_address(host, answer, single_host) : reached_address;
  }
  const int port = said_master_port(host, said);
  rendezvous.port = port != 0 ? port : answer.facts.free_port;
  rendezvous.run_id = "ringrun-" + std::to_string(rendezvous.port) + "-" + std::to_string(getpid());
  return rendezvous;
}

}  // namespace ringrun
