// What looking before the launch costs, beyond asking the hosts for their facts.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "tests/lab/lab_fixture.hpp"

namespace ringrun::test {
namespace {

using std::chrono::milliseconds;

/// Each brings up a lab of its own size beside the two hosts of the fixture.
class ManyHosts : public Lab {
 protected:
  static CommandResult dry_run(const LabHolder& hosts, std::vector<std::string> options) {
    options.insert(options.begin(), "--dry-run");
    return ringrun(hosts, options, {});
  }

  static CommandResult ringrun(const LabHolder& hosts, const std::vector<std::string>& options,
                               const std::vector<std::string>& program) {
    std::vector<std::string> words{RINGRUN_SOURCE_DIR "/tests/lab/lab",
                                   "--lab",
                                   hosts.folder(),
                                   "on",
                                   "a",
                                   "--env",
                                   "OMPI_MCA_plm_rsh_agent=" RINGRUN_SOURCE_DIR "/tests/lab/remote-shell",
                                   "--",
                                   built_program("ringrun"),
                                   "-hostfile",
                                   "/run/lab/all"};
    words.insert(words.end() - 2, options.begin(), options.end());
    words.insert(words.end(), program.begin(), program.end());
    CommandOptions where;
    where.cwd = RINGRUN_BIN_DIR;
    return run_command(words, where);
  }

  static void write_list(const LabHolder& hosts, int count) {
    std::ofstream list(hosts.folder() + "/all");
    for (int host = 0; host < count; ++host) list << "192.168.1." << 5 + host << " slots=1\n";
  }

  /// Of the difference that the network's checks make, over several pairs of launches, one after the other.
  static milliseconds median_cost(int count, int pairs) {
    const LabHolder hosts(count);
    write_list(hosts, count);
    std::vector<milliseconds> costs;
    for (int pair = 0; pair < pairs; ++pair) {
      const auto without = dry_run(hosts, {"--no-preflight"});
      const auto with = dry_run(hosts, {});
      EXPECT_EQ(without.exit_code, 0) << without.err;
      EXPECT_EQ(with.exit_code, 0) << with.err;
      costs.push_back(with.elapsed - without.elapsed);
      std::cout << count << " hosts: " << without.elapsed.count() << " ms without, " << with.elapsed.count()
                << " ms with\n";
    }
    std::nth_element(costs.begin(), costs.begin() + pairs / 2, costs.end());
    const auto median = costs[static_cast<std::size_t>(pairs / 2)];
    RecordProperty("median_ms", static_cast<int>(median.count()));
    std::cout << count << " hosts: median " << median.count() << " ms more\n";
    return median;
  }
};

// The aims are 300 ms and 1 s; half as much again is allowed for a machine that does other things too.

TEST_F(ManyHosts, TwoCostUnder300Milliseconds) { EXPECT_LT(median_cost(2, 5), milliseconds(450)); }

TEST_F(ManyHosts, SixtyFourCostUnderASecond) { EXPECT_LT(median_cost(64, 3), milliseconds(1500)); }

TEST_F(ManyHosts, SixtyThreeGetTheirCopiesSideBySide) {
  const LabHolder hosts(64);
  write_list(hosts, 64);
  // Each has its own /tmp.
  const CommandResult made = run_command({RINGRUN_SOURCE_DIR "/tests/lab/lab", "--lab", hosts.folder(), "on", "a", "--",
                                          "cp", built_program("worker"), "/tmp/prog"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto first = ringrun(hosts, {"--allow-run-as-root"}, {"/tmp/prog", "--version"});
  const auto second = ringrun(hosts, {"--allow-run-as-root"}, {"/tmp/prog", "--version"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(first.err.find("to 192.168.1.6, 192.168.1.7, 192.168.1.8, 192.168.1.9 and 59 more\n"), std::string::npos)
      << first.err;
  EXPECT_EQ(second.err.find("copied"), std::string::npos) << second.err;
  std::cout << "63 copies: " << first.elapsed.count() << " ms with, " << second.elapsed.count() << " ms without\n";
  // One after the other, each with its own way there and back, they take longer than that.
  EXPECT_LT(first.elapsed - second.elapsed, milliseconds(6000));
}

}  // namespace
}  // namespace ringrun::test
