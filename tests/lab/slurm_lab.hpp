#pragma once

#include <string>
#include <vector>

#include "tests/lab/lab_fixture.hpp"

namespace ringrun::test {

/// Two hosts, and a Slurm cluster over them whose controller is on a.
class SlurmLab : public Lab {
 protected:
  /// How a batch job ended.
  struct BatchResult {
    std::string state;  ///< in Slurm's words: COMPLETED, FAILED, CANCELLED, …
    int exit_code = -1;
    std::string out;  ///< what it printed, both streams
  };

  static void SetUpTestSuite() { bring_up({.slurm = true}); }

  /// `salloc WORDS… COMMAND…` on a; the exit code is the command's.
  static std::vector<std::string> in_allocation(const std::vector<std::string>& words,
                                                const std::vector<std::string>& command);
  /// `sbatch WORDS…` on a; the job's number.
  static std::string submit(const std::vector<std::string>& words);
  /// What a batch job has printed so far.
  static std::string batch_output(const std::string& job);
  /// Waits for a batch job's end; past the deadline its state is what it then was.
  static BatchResult batch_result(const std::string& job, std::chrono::seconds deadline = std::chrono::seconds(40));
};

}  // namespace ringrun::test
