#include "launcher/job/rank_layout.hpp"

#include <algorithm>
#include <numeric>

#include "launcher/hosts/slots.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

/// One program's ranks on its hosts, in the order in which hosts are filled.
class ProgramLayout {
 public:
  ProgramLayout(const LayoutRequest& request, const LayoutProgram& program, const std::vector<int>& used)
      : request_(request), mapping_(request.mapping), order_(program.hosts), sequence_(program.sequence) {
    const auto is_own = [&](const HostSlots& host) { return host.host == request.own_host; };
    if (mapping_.no_local) order_.erase(std::remove_if(order_.begin(), order_.end(), is_own), order_.end());
    if (request.rule != LayoutRule::list) std::stable_partition(order_.begin(), order_.end(), is_own);
    if (order_.empty()) throw UserError("--nolocal leaves no host", "name another host, or leave it off");
    for (const HostSlots& host : order_) {
      slots_.push_back(host.slots);
      free_.push_back(std::max(host.slots - used[static_cast<std::size_t>(host.host)], 0));
    }
    ranks_ = program.ranks;
    if (ranks_ > 0) return;
    if (mapping_.by == "rankfile" && request.programs.size() == 1) {
      ranks_ = static_cast<int>(request.rank_rows.size());
      return;
    }
    const std::vector<int> wanted = on_each();
    const std::vector<int>& counts = wanted.empty() ? slots_ : wanted;
    ranks_ = std::accumulate(counts.begin(), counts.end(), 0);
  }

  std::vector<int> host_of_each_rank() const {
    if (mapping_.by == "seq") return in_sequence();
    if (mapping_.by == "rankfile") return in_rows();
    const std::vector<int> shares = counts();
    const bool by_node = mapping_.rank_by ? *mapping_.rank_by == "node" : mapping_.by == "node";
    return by_node ? one_each_in_turn(shares) : host_after_host(shares);
  }

 private:
  int count() const { return static_cast<int>(order_.size()); }

  /// Where the mapping says how many ranks each host gets; else empty.
  std::vector<int> on_each() const {
    if (mapping_.by.rfind("ppr:", 0) != 0) return {};
    const int per_node = ranks_per_node(mapping_);
    if (per_node > 0) return std::vector<int>(order_.size(), per_node);
    std::vector<int> wanted;
    for (const HostSlots& host : order_) wanted.push_back(request_.on_each[static_cast<std::size_t>(host.host)]);
    return wanted;
  }

  std::vector<int> counts() const {
    if (const std::vector<int> wanted = on_each(); !wanted.empty()) return some_on_each(wanted);
    const int have = std::accumulate(free_.begin(), free_.end(), 0);
    if (ranks_ > have && !mapping_.oversubscribe) reject_too_many();
    if (mapping_.by == "node") return ranks_ > have ? in_turn_beyond_slots() : in_turn();
    // 5.0.7 lets the first host have them all where more ranks than slots are allowed and nobody says by slot.
    if (mapping_.oversubscribe && request_.rule == LayoutRule::openmpi5 && mapping_.by != "slot") {
      std::vector<int> shares(order_.size(), 0);
      shares[0] = ranks_;
      return shares;
    }
    return share_ranks(ordered_hosts(), free_, ranks_, mapping_.oversubscribe);
  }

  HostList ordered_hosts() const {
    HostList hosts;
    for (const HostSlots& host : order_) hosts.push_back(request_.hosts[static_cast<std::size_t>(host.host)]);
    return hosts;
  }

  [[noreturn]] void reject_too_many() const { reject_too_many_ranks(ordered_hosts(), free_, ranks_); }

  std::vector<int> some_on_each(const std::vector<int>& wanted) const {
    const int most = std::accumulate(wanted.begin(), wanted.end(), 0);
    if (ranks_ > most) {
      const bool same = std::equal(wanted.begin() + 1, wanted.end(), wanted.begin());
      throw UserError("-np " + std::to_string(ranks_) + " is more than " +
                          (same ? std::to_string(wanted[0]) + " ranks on each of " + std::to_string(count()) + " hosts"
                                : "the " + std::to_string(most) + " ranks that " + mapping_.by + " has place for"),
                      "ask for fewer ranks, or for more on each host");
    }
    std::vector<int> shares;
    int left = ranks_;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      shares.push_back(std::min(wanted[i], left));
      left -= shares.back();
      if (shares.back() > free_[i] && !mapping_.oversubscribe) reject_too_many();
    }
    return shares;
  }

  std::vector<int> in_turn() const {
    std::vector<int> shares(order_.size(), 0);
    for (int left = ranks_; left > 0;) {
      for (std::size_t i = 0; i < shares.size() && left > 0; ++i) {
        if (shares[i] == free_[i]) continue;
        ++shares[i];
        --left;
      }
    }
    return shares;
  }

  std::vector<int> in_turn_beyond_slots() const {
    std::vector<int> shares(order_.size(), ranks_ / count());
    for (int i = 0; i < ranks_ % count(); ++i) ++shares[static_cast<std::size_t>(i)];
    return shares;
  }

  std::vector<int> host_after_host(const std::vector<int>& shares) const {
    std::vector<int> result;
    for (std::size_t i = 0; i < shares.size(); ++i)
      result.insert(result.end(), static_cast<std::size_t>(shares[i]), order_[i].host);
    return result;
  }

  std::vector<int> one_each_in_turn(std::vector<int> shares) const {
    std::vector<int> result;
    const int total = std::accumulate(shares.begin(), shares.end(), 0);
    while (static_cast<int>(result.size()) < total) {
      for (std::size_t i = 0; i < shares.size(); ++i) {
        if (shares[i]-- > 0) result.push_back(order_[i].host);
      }
    }
    return result;
  }

  std::vector<int> in_sequence() const {
    if (ranks_ > static_cast<int>(sequence_.size())) {
      throw UserError("--map-by seq wants a host for each of " + std::to_string(ranks_) + " ranks, and " +
                          std::to_string(sequence_.size()) + " are named",
                      "name a host as often as it gets ranks, or ask for fewer with -np");
    }
    return {sequence_.begin(), sequence_.begin() + ranks_};
  }

  std::vector<int> in_rows() const {
    std::vector<int> result;
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto row = std::find_if(request_.rank_rows.begin(), request_.rank_rows.end(),
                                    [&](const RankRow& other) { return other.rank == rank; });
      if (row == request_.rank_rows.end()) {
        throw UserError("the rankfile says nothing of rank " + std::to_string(rank),
                        "write a line 'rank " + std::to_string(rank) + "=HOST slot=…' into it");
      }
      const auto host = std::find_if(order_.begin(), order_.end(), [&](const HostSlots& other) {
        const bool own = other.host == request_.own_host && row->host == request_.own_name;
        return own || request_.hosts[static_cast<std::size_t>(other.host)].name == row->host;
      });
      if (host == order_.end())
        throw UserError("the rankfile gives rank " + std::to_string(rank) + " the host " + row->host +
                            ", which is none of the job's",
                        "name it in the hostfile or by -H");
      result.push_back(host->host);
    }
    return result;
  }

  const LayoutRequest& request_;
  const Mapping& mapping_;
  std::vector<HostSlots> order_;
  std::vector<int> sequence_;
  std::vector<int> slots_;
  std::vector<int> free_;
  int ranks_ = 0;
};

/// Every rank is on the one host there is, and it is said how many there are.
bool has_no_choice(const LayoutRequest& request) {
  return request.hosts.size() == 1 && std::all_of(request.programs.begin(), request.programs.end(),
                                                  [](const LayoutProgram& program) { return program.ranks > 0; });
}

bool is_followed(const LayoutRequest& request) {
  const Mapping& mapping = request.mapping;
  if (request.unknown) return false;
  if (mapping.by.rfind("dist:", 0) == 0 || mapping.by.rfind("pe-list", 0) == 0) return false;
  // Ranks on each object of a host: as many as it has of them.
  const bool known = !request.on_each.empty() &&
                     std::all_of(request.on_each.begin(), request.on_each.end(), [](int ranks) { return ranks > 0; });
  if (mapping.by.rfind("ppr:", 0) == 0 && ranks_per_node(mapping) == 0 && !known) return false;
  // What a rank takes of a host's cores, its slots do not say.
  if (mapping.cpus_per_rank) return false;
  // Both generations cross hosts in ways of their own.
  if (mapping.span || (mapping.rank_by && mapping.rank_by->find("span") != std::string::npos)) return false;
  if (mapping.by == "rankfile" && request.rank_rows.empty()) return false;
  return !(mapping.cpu_set && request.rule == LayoutRule::openmpi5);
}

}  // namespace

RankLayout lay_out_ranks(const LayoutRequest& request) {
  RankLayout layout;
  const bool followed = is_followed(request);
  layout.certain = followed || has_no_choice(request);
  LayoutRequest guess = request;
  if (!followed) {
    guess.mapping = {};
    guess.mapping.oversubscribe = true;
    guess.rule = request.rule == LayoutRule::openmpi5 ? LayoutRule::openmpi4 : request.rule;
  }
  std::vector<int> used(request.hosts.size(), 0);
  for (const LayoutProgram& program : guess.programs) {
    const std::vector<int> hosts = ProgramLayout(guess, program, used).host_of_each_rank();
    for (const int host : hosts) ++used[static_cast<std::size_t>(host)];
    layout.host_of_rank.insert(layout.host_of_rank.end(), hosts.begin(), hosts.end());
    layout.program_ranks.push_back(static_cast<int>(hosts.size()));
  }
  return layout;
}

}  // namespace ringrun
