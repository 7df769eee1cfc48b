#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/mpi/ringrun_job.hpp"
#include "tests/support/cannot_run.hpp"

namespace ringrun::test {

/// Hosts 127.0.0.2, 127.0.0.3, … whom Open MPI takes for remote: a remote shell that runs the command on this machine
/// under another hostname, with a login's few variables, and writes down what it was given.
class RingrunRemote : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0 || run_command({"unshare", "--uts", "true"}).exit_code != 0) {
      RINGRUN_CANNOT_RUN("hosts under other names need root and unshare");
    }
    std::string pattern = (std::filesystem::temp_directory_path() / "ringrun-remote-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    shell_ = folder_ + "/shell";
    make_shell();
  }

  /// `words` are what a login has besides: variables, and the beginning of a command that starts its shell.
  void make_shell(const std::string& words = "") {
    std::ofstream(shell_) << "#!/bin/bash\n"
                             "echo \"$*\" >> " +
                                 folder_ +
                                 "/log\n"
                                 "user=; while [[ $1 == -[lp] ]]; do shift 2; done\n"
                                 "host=$1; shift\n"
                                 "exec unshare --uts env -i PATH=\"$PATH\" HOME=\"$HOME\" OMPI_ALLOW_RUN_AS_ROOT=1 \\\n"
                                 "  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LOGIN_MARK=" +
                                 mark() + " " + words + " sh -c \"echo Welcome; hostname n${host##*.}; $*\"\n";
    std::filesystem::permissions(shell_, std::filesystem::perms::owner_all);
  }
  void TearDown() override {
    if (folder_.empty()) return;
    for (const pid_t pid : marked_processes(mark())) kill(pid, SIGKILL);
    std::filesystem::remove_all(folder_);
  }

  std::string mark() const { return folder_; }

  CommandResult remote(std::vector<std::string> words, std::map<std::string, std::string> environment = {}) {
    environment.insert({"OMPI_MCA_plm_rsh_agent", shell_});
    return ringrun(std::move(words), std::move(environment));
  }

  std::vector<std::string> sorted_lines(const std::string& text) {
    std::vector<std::string> result = lines(text);
    std::sort(result.begin(), result.end());
    return result;
  }

  std::string log() {
    std::ifstream file(folder_ + "/log");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::string folder_;
  std::string shell_;
};

}  // namespace ringrun::test
