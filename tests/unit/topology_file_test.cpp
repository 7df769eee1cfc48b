#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/error.hpp"
#include "lib/topology/hwloc_reader.hpp"
#include "lib/topology/trial_load.hpp"
#include "tests/unit/drawn_machine.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

TEST(TopologyFile, RefusesWhatIsNoTopology) {
  EXPECT_EQ(error_text([] { read_machine_xml("/dev/null"); }),
            "/dev/null is not a topology that hwloc can read | save one with: lstopo --of xml FILE");
  EXPECT_NE(problem_of([] { read_machine_synthetic("numa:x"); }), "");
}

std::string saved(const std::string& name, const std::string& text) {
  const std::string path = (std::filesystem::temp_directory_path() / name).string() + std::to_string(getpid());
  std::ofstream(path) << text;
  return path;
}

TEST(TopologyFile, RefusesAFileOfHwloc3SayingHowToSaveAnOlderOne) {
  const std::string path = saved("hwloc3.", "<?xml version=\"1.0\"?>\n<topology version=\"3.0\">\n</topology>\n");
  EXPECT_EQ(
      error_text([&] { read_machine_xml(path); }),
      path + " is not a topology that hwloc can read | save one with: lstopo --of xml --export-xml-flags v2 FILE");
  std::filesystem::remove(path);
}

TEST(TopologyFile, RefusesAFileThatAllowsNoProcessor) {
  const std::string path =
      saved("none.", drawn_xml("offline cpus 0,1\nnode 0 cores 2x1\nnode 1 cores 1x1\nallowed cpus 0\n"));
  EXPECT_EQ(error_text([&] { read_machine_xml(path); }),
            path + " allows no CPU at all | save one with: lstopo --of xml FILE");
  std::filesystem::remove(path);
}

TEST(TrialLoad, TellsACrashFromAnErrorAndFromSuccess) {
  EXPECT_TRUE(comes_to_its_end([] {}));
  EXPECT_TRUE(comes_to_its_end([] { throw UserError("no"); }));
  EXPECT_FALSE(comes_to_its_end([] { raise(SIGSEGV); }));
  EXPECT_FALSE(comes_to_its_end([] { std::abort(); }));
}

TEST(TrialLoad, NeedsNoExitCodeWhichIsLostWhereSigchldIsIgnored) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  EXPECT_TRUE(comes_to_its_end([] {}));
  EXPECT_FALSE(comes_to_its_end([] { raise(SIGSEGV); }));
  signal(SIGCHLD, before);
}

}  // namespace
}  // namespace ringrun
