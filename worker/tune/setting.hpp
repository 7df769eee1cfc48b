#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ringrun::worker {

/// A variable of the environment, with one value for all hosts or one for each, in the job's order of hosts. Of a
/// number that NCCL reads, an empty value is that of a variable that is not set.
struct TunedVariable {
  std::string name;
  std::vector<std::string> values;

  const std::string& value_on(std::size_t host) const { return values.size() == 1 ? values.front() : values.at(host); }
  bool operator==(const TunedVariable&) const = default;
};

/// What is set beyond the environment as it is; nothing: the environment as it is.
struct TunedSetting {
  std::vector<TunedVariable> variables;
  bool operator==(const TunedSetting&) const = default;
};

/// What the settings to try depend on.
struct TunedHost {
  struct Card {
    std::string name;     ///< "eth0"
    std::string network;  ///< "192.168.1.0/24"
    bool operator==(const Card&) const = default;
  };
  std::string name;
  std::vector<Card> cards;                         ///< that NCCL takes for its sockets, in its order
  std::vector<std::string> hcas;                   ///< InfiniBand devices that NCCL takes: "mlx5_0"
  std::map<std::string, std::string> environment;  ///< its NCCL_ variables
  bool operator==(const TunedHost&) const = default;
};

std::string to_text(const TunedHost& host);
TunedHost tuned_host_from(const std::string& text);

/// Reads this host. Throws SystemError.
TunedHost read_tuned_host(const std::string& name);

/// Those devices that NCCL_IB_HCA (a list of beginnings, "=" exact, "^" excluded, each perhaps with a port) lets NCCL
/// take; empty: all.
std::vector<std::string> chosen_hcas(const std::vector<std::string>& devices, const std::string& ib_hca);

/// Helper threads and sockets of each, and where all hosts have several cards in the same networks, each network alone.
/// The most promising ones first. What every host has already is left out.
std::vector<TunedSetting> socket_settings(const std::vector<TunedHost>& hosts);

/// Queue pairs of a connection, and where all hosts have as many devices, each of them alone.
std::vector<TunedSetting> infiniband_settings(const std::vector<TunedHost>& hosts);

/// "NCCL_SOCKET_NTHREADS=2 NCCL_NSOCKS_PERTHREAD=4", "NCCL_SOCKET_IFNAME==eth0 on a, =enp3s0 on b"; "as it is".
std::string text_of(const TunedSetting& setting, const std::vector<TunedHost>& hosts);

/// Where a line belongs, and the line.
struct PlacedLine {
  std::string host;  ///< "": on every host
  std::string line;
};

/// What to write into a hostfile for ringrun: "#: env.NCCL_SOCKET_NTHREADS=2" on a line of its own, or behind a host.
std::vector<PlacedLine> hostfile_lines(const TunedSetting& setting, const std::vector<TunedHost>& hosts);

/// Options of plain mpirun, "-x NCCL_SOCKET_NTHREADS=2", for what is the same on every host, and lines of that host's
/// ~/.nccl.conf for what is not.
std::vector<PlacedLine> mpirun_lines(const TunedSetting& setting, const std::vector<TunedHost>& hosts);

}  // namespace ringrun::worker
