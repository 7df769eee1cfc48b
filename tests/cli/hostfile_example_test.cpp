#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "launcher/hosts/hostfile.hpp"
#include "tests/support/command.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The project's example hostfiles: every file of hostfiles/ itself that is no text about them, and a node's.
class HostfileExample : public testing::TestWithParam<std::string> {
 public:
  static std::vector<std::string> all() {
    std::vector<std::string> paths{RINGRUN_SOURCE_DIR "/hostfiles/nodes/docker/hostfile"};
    for (const auto& entry : std::filesystem::directory_iterator(RINGRUN_SOURCE_DIR "/hostfiles")) {
      if (entry.is_regular_file() && entry.path().extension() != ".md") paths.push_back(entry.path().string());
    }
    return paths;
  }

 protected:
  HostList hosts_ = read_hostfile(GetParam());
  std::string slots_ = std::to_string(std::accumulate(
      hosts_.begin(), hosts_.end(), 0, [](int sum, const Host& host) { return sum + host.slots.value_or(0); }));
  CommandOptions as_root() const {
    CommandOptions options;
    options.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
    return options;
  }
};

TEST_P(HostfileExample, PlainMpirunReadsTheSameHostsAndSlots) {
  CommandOptions options = as_root();
  options.env["OMPI_MCA_plm_rsh_agent"] = options.env["PRTE_MCA_plm_ssh_agent"] = "/bin/false";
  const std::string version = run_command({"mpirun", "--version"}).out;
  const bool five = version.find("(Open MPI) 4.") == std::string::npos;
  std::vector<std::string> words = {"mpirun", "-np", slots_, "--hostfile", GetParam()};
  if (five) {
    words.insert(words.end(), {"--display", "map", "--runtime-options", "donotlaunch"});
  } else {
    words.insert(words.end(), {"--display-map", "--do-not-launch"});
  }
  words.push_back("true");
  // Both show the map; 4.1 then calls it an internal error that nothing is launched.
  const CommandResult result = run_command(words, options);
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("parse error")));
  for (const Host& host : hosts_) {
    EXPECT_THAT(result.out, HasSubstr("Data for node: " + host.name + "\tNum slots: " + std::to_string(*host.slots)));
  }
}

TEST_P(HostfileExample, RingrunMakesAJobOfIt) {
  std::string pattern = (std::filesystem::temp_directory_path() / "ringrun-example-XXXXXX").string();
  const std::string folder = mkdtemp(pattern.data());
  const std::string shell = folder + "/shell";
  // Every host is this machine.
  std::ofstream(shell)
      << "#!/bin/sh\nwhile [ \"$1\" = -p ] || [ \"$1\" = -l ]; do shift 2; done\nshift\nexec sh -c \"$*\"\n";
  std::filesystem::permissions(shell, std::filesystem::perms::owner_all);
  std::ifstream file(GetParam());
  std::string text(std::istreambuf_iterator<char>(file), {});
  // Which this machine, being all of the hosts, cannot have.
  for (std::size_t at; (at = text.find("#:")) != std::string::npos;) text.erase(at, text.find('\n', at) - at);
  std::ofstream(folder + "/hostfile") << text;
  CommandOptions options = as_root();
  options.env["OMPI_MCA_plm_rsh_agent"] = shell;
  const CommandResult result = run_command(
      {built_program("ringrun"), "--dry-run", "--no-preflight", "-hostfile", folder + "/hostfile", "true"}, options);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(" -np " + slots_ + " "));
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Each, HostfileExample, testing::ValuesIn(HostfileExample::all()),
                         [](const auto& each) { return std::filesystem::path(each.param).filename().string(); });

}  // namespace
}  // namespace ringrun::test
