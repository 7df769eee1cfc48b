#pragma once

#include <sys/types.h>

#include <string>

namespace ringrun::test {

/// What a lab is made of.
struct LabShape {
  int hosts = 2;
  std::string root;    ///< folder of the Linux that the hosts run; empty: this machine's own
  bool slurm = false;  ///< with a cluster over all hosts, whose controller is on a
  bool operator==(const LabShape&) const = default;
};

/// One running lab (`tests/lab/lab up`): it ends with this object, and also when this process is killed.
class LabHolder {
 public:
  /// Throws std::runtime_error with the lab's own words where it does not come up within 40 s.
  explicit LabHolder(const LabShape& shape);
  explicit LabHolder(int hosts) : LabHolder(LabShape{hosts, {}}) {}
  ~LabHolder();
  LabHolder(const LabHolder&) = delete;
  LabHolder& operator=(const LabHolder&) = delete;

  pid_t pid() const { return pid_; }
  /// What RINGRUN_LAB takes; on the hosts the same folder is /run/lab.
  const std::string& folder() const { return folder_; }

 private:
  pid_t pid_ = -1;
  int standard_input_ = -1;  ///< its end ends the lab
  std::string folder_;
};

}  // namespace ringrun::test
