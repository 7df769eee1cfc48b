// Hosts with different libraries, engines and programs.
#include <gmock/gmock.h>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Version : public NetworkLab {
 protected:
  /// NCCL as a package installs it: the library and the link that programs ask for.
  class Nccl {
   public:
    Nccl(const std::string& host, const std::string& version)
        : library_(change(host, {"file", "/usr/local/lib/libnccl.so." + version,
                                 RINGRUN_NCCL_STAND_INS "/" + version + "/libnccl.so." + version})),
          link_(change(
              host, {"file", "/usr/local/lib/libnccl.so.2", RINGRUN_NCCL_STAND_INS "/" + version + "/libnccl.so.2"})) {}

   private:
    HostChange library_;
    HostChange link_;
  };
};

TEST_F(Version, OfNcclThatDiffersStopsNccl) {
  const Nccl on_a("a", "2.28.9");
  const Nccl on_b("b", "2.19.3");
  const auto finding = expect_stopped(sweep({"--transport", "nccl", "-x", "LD_LIBRARY_PATH=/usr/local/lib"}), "V1");
  EXPECT_THAT(finding.text, HasSubstr("2.28.9"));
  EXPECT_THAT(finding.text, HasSubstr("2.19.3"));
}

TEST_F(Version, OfNcclThatDiffersDoesNotStopMpi) {
  const Nccl on_a("a", "2.28.9");
  const Nccl on_b("b", "2.19.3");
  expect_right_sweep_over_the_lan(sweep({"--transport", "mpi", "-x", "LD_LIBRARY_PATH=/usr/local/lib"}));
}

TEST_F(Version, OfOpenMpiThatDiffersStopsTheLaunch) {
  // Both programs that tell the version without running a job.
  const std::string says =
      "#!/bin/sh\nprintf '%s (Open MPI) 5.0.3\\n\\nReport bugs to http://www.open-mpi.org\\n' \"${0##*/}\"\n";
  const auto path_of = [](const std::string& program) {
    auto path = on("b", {"sh", "-c", "readlink -f $(command -v " + program + ")"}).out;
    return path.substr(0, path.find('\n'));
  };
  const std::string other = shared_file("open_mpi_5", says);
  ASSERT_EQ(on("b", {"chmod", "+x", other}).exit_code, 0);
  const auto mpirun = change("b", {"file", path_of("mpirun"), other});
  const auto daemon = change("b", {"file", path_of("orted"), other});
  const auto finding = expect_stopped(sweep(), "V6");
  EXPECT_THAT(finding.text, HasSubstr("5.0.3"));
}

TEST_F(Version, OfTheProgramThatDiffersIsWarnedOfAndRuns) {
  // The same program in other bytes: what is behind its last section is not loaded.
  ASSERT_EQ(on("b", {"sh", "-c", "cp worker /run/lab/worker && echo . >>/run/lab/worker"}).exit_code, 0);
  const auto worker = change("b", {"file", built_program("worker"), "/run/lab/worker"});
  const auto result = sweep();
  expect_right_sweep_over_the_lan(result);
  const auto finding = expect_finding(result, "L7");
  EXPECT_EQ(finding.severity, "warning") << finding.text;
  EXPECT_THAT(finding.text, HasSubstr("worker"));
}

TEST_F(Version, OfAllThatAreAlikeIsNotMentioned) {
  const auto result = sweep();
  expect_right_sweep_over_the_lan(result);
  EXPECT_THAT(result.err, Not(ContainsRegex("(V1|V6|L7) on")));
}

}  // namespace
}  // namespace ringrun::test
