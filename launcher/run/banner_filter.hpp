#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace ringrun {

/// Takes out of the engine's standard error what repeats, with less in it, what a rank's own record says: the blocks
/// between dashed lines of mpirun 4.1 and PRRTE 3 ("Primary job terminated normally, but 1 process returned…") and
/// srun's lines ("srun: error: b: task 1: Exited with exit code 3"). All else passes unchanged, at once, in order.
/// mpirun -q would take out every message of the MPI library too.
class BannerFilter {
 public:
  /// The text to show now.
  std::string feed(std::string_view text);

  /// What is held back: a block that may not end, or the beginning of a line.
  std::string flush();

  bool holds() const { return !held_.empty(); }

  /// The node whose daemon the engine has lost, as it names it; "" while there is none. Its block is taken out too.
  const std::string& lost_node() const { return lost_node_; }

  /// "rank 3 on b", which ended without MPI_Finalize, as the engine says; "" while there is none.
  const std::string& unfinished_rank() const { return unfinished_rank_; }

  /// The code of an MPI_Abort, 0 for none.
  int abort_code() const { return abort_code_; }

  /// What was taken out about ranks, for a job none of whose ranks left a record, as where wrappers were killed.
  std::string banners() { return std::exchange(banners_, {}); }

 private:
  std::string end_line();
  std::string release(bool drop);

  std::string banners_;
  std::string lost_node_;
  std::string unfinished_rank_;
  int abort_code_ = 0;
  /// Whole lines and the line so far that may yet be a banner.
  std::string held_;
  std::string line_;
  bool in_block_ = false;
  bool passing_line_ = false;
};

}  // namespace ringrun
