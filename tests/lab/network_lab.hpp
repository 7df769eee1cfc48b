#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/lab/host_change.hpp"
#include "tests/lab/lab_fixture.hpp"

namespace ringrun::test {

/// One block of what a launch says about a fault: its first line, "ringrun: error C1b on b: …", and those indented
/// under it.
struct FindingText {
  std::string severity;  ///< "error", "warning" or "note"
  std::string hosts;     ///< as printed behind "on"; empty: all
  std::string text;      ///< the whole block
};

/// The findings in a launch's standard error by id; of several with one id the first.
std::map<std::string, FindingText> findings_in(const std::string& text);

/// A host in ringrun's words, by name or by address: regular expressions for a and b.
inline constexpr const char* host_a = "(a|192\\.168\\.1\\.5)";
inline constexpr const char* host_b = "(b|192\\.168\\.1\\.6)";

/// A launch that finds a fault must have ended after 5 s; a busy machine gets some more.
inline constexpr std::chrono::seconds stop_deadline{8};

/// Hosts with networks as people have them, ringrun launched on a over both of hostfiles/ab.
class NetworkLab : public Lab {
 protected:
  static void SetUpTestSuite();

  static HostChange change(const std::string& host, std::vector<std::string> thing);
  static HostChange docker0(const std::string& host) { return change(host, {"docker0"}); }
  /// A file with this text at `path`.
  static HostChange file(const std::string& host, const std::string& path, const std::string& text);

  /// A hostfile on the hosts with these lines.
  static std::string hostfile(const std::string& lines);

  /// `ringrun -v OPTIONS -np 2 -hostfile FILE ./worker …` on a, through the agent; a short sweep.
  static CommandResult sweep(const std::vector<std::string>& options = {}, const std::string& hosts = "hostfiles/ab");
  /// The same through real ssh.
  static CommandResult sweep_with_ssh(const std::vector<std::string>& options = {},
                                      const std::string& hosts = "hostfiles/ab");
  static std::vector<std::string> sweep_command(const std::vector<std::string>& options, const std::string& hosts);
  /// The same sweep by plain mpirun.
  static CommandResult plain_mpirun();

  /// All rows, no wrong value, exit code 0.
  static void expect_right_sweep(const CommandResult& result);
  /// And over the cards on the LAN.
  static void expect_right_sweep_over_the_lan(const CommandResult& result);
  /// Exit code 3 within the deadline, before any rank started, with an error of this id; its block. The time is
  /// printed.
  static FindingText expect_stopped(const CommandResult& result, const std::string& id_pattern);
  /// A finding of this id, error or not; its block.
  static FindingText expect_finding(const CommandResult& result, const std::string& id_pattern);
};

/// What this machine lacks for a docker engine, as a sentence; empty: nothing.
std::string why_no_docker();

}  // namespace ringrun::test
