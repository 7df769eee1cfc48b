#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace ringrun {

/// What more is read out of a line than that it contains some words.
enum class LineKind {
  plain,
  nccl_connect,      ///< "connect to 172.17.0.1<41234> failed : Network is unreachable"
  open_mpi_connect,  ///< "connect() to 172.17.0.1:1024 failed: Connection refused (111)"
  ucx_connect,       ///< "dest_addr=172.17.0.1:41234 … failed: Connection refused"
  gloo_connect,      ///< "remote=[127.0.0.1]:41234"
  torch_connect,     ///< "client socket has failed to connect to [192.168.1.5]:29400 (errno: 113 - No route to host)"
  chosen_interface   ///< "Bootstrap : Using docker0:172.17.0.1<0>"
};

/// A line that contains all of `words` (lower case) and not `unless` means the catalogue's `id`.
struct OutputPattern {
  std::string_view id = {};
  std::array<std::string_view, 3> words = {};
  bool fatal = false;
  bool secondary = false;
  LineKind kind = LineKind::plain;
  std::string_view unless = {};
};

/// The first one that fits a line tells its meaning.
const std::vector<OutputPattern>& output_patterns();

}  // namespace ringrun
