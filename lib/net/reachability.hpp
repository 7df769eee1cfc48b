#pragma once

#include <string>
#include <vector>

namespace ringrun {

/// How an attempt to reach an address ended.
enum class Outcome {
  reached,     ///< the right host answered with the right nonce
  refused,     ///< ECONNREFUSED or a reset: the host is up, the port closed (or a firewall rejects with a reset)
  no_route,    ///< ENETUNREACH, at once
  no_host,     ///< EHOSTUNREACH: no ARP answer (after about 3 s), or a firewall's REJECT (at once)
  dropped,     ///< silence until the deadline
  wrong_host,  ///< something answered, but not this host: the address is another's, or a port proxy's
  failed       ///< any other error
};

/// One connection attempt from one host to an address of another.
struct Attempt {
  int port = 0;
  Outcome outcome = Outcome::failed;
  /// errno, 0 where there was none.
  int error = 0;
  int milliseconds = 0;
};

/// What host `from` found when it tried `address` of host `to` (places in the list of probed hosts).
struct Link {
  int from = 0;
  int to = 0;
  std::string address;
  /// One an attempted port; the link is good where all are `reached`.
  std::vector<Attempt> attempts;
  /// The address from which the connection arrived at `to`, as `to` reported; "" where it did not arrive. It is not one
  /// of `from`'s own: there is address translation between them.
  std::string seen_as;
  /// The address of `from` that its kernel chose for the way there, "" where there was no route.
  std::string source;
  /// Bytes of the IP packets tried for the path's MTU: `mtu_tried` is that of the interface (or what a router said),
  /// `mtu_passed` the largest that came back. Both 0 where it was not found out (nothing answers UDP there).
  int mtu_tried = 0;
  int mtu_passed = 0;
  /// Where smaller packets came back than were tried: 1 where large data went through a TCP connection to `to` all the
  /// same, 0 where it did not. -1: not tried.
  int bulk_passed = -1;
};

/// True where every attempt reached the host.
bool is_good(const Link& link);

/// Some attempt was answered at once that there is no such host: a firewall's REJECT. The kernel limits such answers,
/// so that other attempts of the same moment may meet silence.
bool was_rejected(const Link& link);

/// The outcome that says most about a link that is not good: the worst attempt's. `reached` where it is good, and
/// `dropped` where there were no attempts.
Outcome outcome_of(const Link& link);

/// Everything that was tried. Pairs that were not tried (many hosts: a sample is probed) are absent.
using ReachMatrix = std::vector<Link>;

/// The links between two hosts, one direction.
std::vector<const Link*> links_between(const ReachMatrix& matrix, int from, int to);

/// Which hosts each host tries, for `hosts` hosts: all others up to 32 hosts; beyond, its neighbours in a ring and
/// about log2(hosts) others chosen from `seed`, so that the cost grows as n log n.
std::vector<std::vector<int>> choose_partners(int hosts, unsigned seed);

}  // namespace ringrun
