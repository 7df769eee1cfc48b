#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/ringrun_fixture.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;

/// ringrun by the name of mpirun, in front of the engine's on PATH.
class Masquerade : public Ringrun {
 protected:
  static std::string path() { return getenv("PATH"); }

  CommandResult shell(const std::string& line, const std::string& folder = RINGRUN_BIN_DIR "/masquerade") {
    CommandOptions options;
    options.cwd = folder_;
    options.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                   {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                   {"PATH", folder.empty() ? path() : folder + ":" + path()}};
    return run_command({"sh", "-c", line}, options);
  }
};

TEST_F(Masquerade, PrintsTheEnginesVersion) {
  const std::string engine = shell("mpirun --version", "").out;
  EXPECT_THAT(engine, HasSubstr("(Open MPI)"));
  EXPECT_EQ(shell("mpirun --version").out, engine);
  EXPECT_EQ(shell("mpiexec -V").out, shell("mpiexec -V", "").out);
}

TEST_F(Masquerade, LeavesACallWithoutAProgramToTheEngine) {
  const CommandResult engine = shell("mpirun -np 2", "");
  const CommandResult here = shell("mpirun -np 2");
  EXPECT_EQ(here.exit_code, engine.exit_code);
  EXPECT_EQ(here.err, engine.err);
}

TEST_F(Masquerade, StartsJobsThroughTheEngineBehindIt) {
  const CommandResult result = shell("mpirun -np 2 --oversubscribe sh -c 'echo $RANK/$WORLD_SIZE' | sort");
  EXPECT_EQ(result.out, "0/2\n1/2\n") << result.err;
}

TEST_F(Masquerade, BindsAsTheEngineDoes) {
  const std::string line = "mpirun -np 1 grep Cpus_allowed_list /proc/self/status";
  EXPECT_EQ(shell(line).out, shell(line, "").out);
}

TEST_F(Masquerade, PassesOverACopyOfItself) {
  std::filesystem::copy(built_program("ringrun"), folder_ + "/mpirun");
  EXPECT_EQ(shell("mpirun -np 1 echo here", folder_).out, "here\n");
  EXPECT_EQ(shell(built_program("ringrun") + " -np 1 echo here", folder_).out, "here\n");
}

TEST_F(Masquerade, EndsWhereAScriptLeadsBackToIt) {
  const std::string script = file("mpirun", "#!/bin/sh\n" + built_program("ringrun") + " \"$@\"\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const CommandResult result = shell("mpirun -np 1 echo here", folder_);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("leads back to ringrun"));
  EXPECT_LT(result.elapsed.count(), 10000);
}

TEST_F(Masquerade, MayBeCalledInsideARank) {
  const CommandResult result = shell(
      "mpirun -np 1 --bind-to none sh -c 'mpirun -np 2 --oversubscribe sh -c \"echo \\$RANK/\\$WORLD_SIZE\"' | sort");
  EXPECT_EQ(result.out, "0/2\n1/2\n") << result.err;
}

}  // namespace
}  // namespace ringrun::test
