#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "tests/lab/lab_holder.hpp"
#include "tests/support/command.hpp"

namespace ringrun::test {

/// Asks again and again until the answer is true; false once the deadline has passed.
bool wait_until(const std::function<bool()>& answer, std::chrono::seconds deadline);

/// Two hosts, a (192.168.1.5 on eth0) and b (192.168.1.6 on enp3s0), once for a suite; a suite with another shape
/// says so by bring_up(). Every test must leave all hosts without processes. Without root or a package the tests are
/// skipped, and with CI=true in the environment that is a failure.
class Lab : public testing::Test {
 protected:
  /// A command that runs on a host while the test does something to it.
  class Job {
   public:
    Job(std::string output_file, std::future<CommandResult> result);
    /// Standard output and standard error so far, in one text.
    std::string output() const;
    bool wait_for_output(const std::string& text, std::chrono::seconds deadline = std::chrono::seconds(20)) const;
    /// The result of the finished command; `out` has both streams.
    CommandResult finish();

   private:
    std::string output_file_;
    std::future<CommandResult> result_;
  };

  static void SetUpTestSuite() { bring_up({}); }
  static void TearDownTestSuite();
  /// A lab of this shape, unless it is there already; another one ends. Says in `missing` why there is none.
  static void bring_up(const LabShape& shape);
  /// The same with hosts whose mpirun is of this generation: 4 where this machine has it, 5 in the Debian 13 that
  /// tools/lab_root makes.
  static void bring_up_with_open_mpi(int generation, int hosts);
  void SetUp() override;
  void TearDown() override;

  /// Runs in the build's bin folder on a host; Open MPI and ringrun reach the other host by tests/lab/remote-shell.
  static CommandResult on(const std::string& host, const std::vector<std::string>& argv,
                          std::chrono::seconds timeout = std::chrono::seconds(60));
  /// The same without the agent: what is started from it uses ssh.
  static CommandResult on_with_ssh(const std::string& host, const std::vector<std::string>& argv,
                                   std::chrono::seconds timeout = std::chrono::seconds(60));
  static Job start(const std::string& host, const std::vector<std::string>& argv);
  static Job start_with_ssh(const std::string& host, const std::vector<std::string>& argv);

  /// a, b, c, …: as many as the lab has.
  static std::vector<std::string> hosts();
  /// "pid command line" of every process there but the host's process 1.
  static std::vector<std::string> processes(const std::string& host);
  /// Waits for a process whose program (last part of its path) is this one; its pid on that host, empty at the
  /// deadline.
  static std::string pid_of(const std::string& host, const std::string& program);
  /// Of the ringrun that a person started there, not of its wrappers and agents; empty at the deadline.
  static std::string launcher_pid(const std::string& host);
  static void send_signal(const std::string& host, const std::string& signal, const std::string& pid);
  /// Fails, naming them, where any host still has processes at the deadline, which is for all hosts together.
  static bool expect_no_process_left(std::chrono::seconds deadline = std::chrono::seconds(5));

  static void start_sshd(const std::string& host, int port);
  /// Writes a file that all hosts see; the path by which they do.
  static std::string shared_file(const std::string& name, const std::string& text);

  static std::unique_ptr<LabHolder> lab;
  static LabShape lab_shape;
  static std::string missing;  ///< why there is no lab
};

}  // namespace ringrun::test
