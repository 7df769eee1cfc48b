#pragma once

#include <set>
#include <string>
#include <vector>

#include "lib/descriptor.hpp"

namespace ringrun::worker {

/// NCCL's log in a file of this process's own, which says what the ranks are joined by. It has what NCCL says when it
/// starts and connects, so that timed operations write nothing. Warnings are passed on to standard error, where they
/// would have been without it.
class NcclLog {
 public:
  /// Before NCCL's first word. Does nothing where the user has said what NCCL shall log, and where.
  void open();
  /// Once NCCL has opened the file: it needs no name any more, so that nothing is left behind.
  void remove_name();
  /// Reads what is new. Every transport so far, in NCCL's words: "P2P/CUMEM", "NET/Socket".
  std::vector<std::string> read_transports();

 private:
  void read_line(const std::string& line);

  Descriptor file_;
  std::string name_;
  std::string unfinished_;
  std::set<std::string> transports_;
};

}  // namespace ringrun::worker
