// hostfiles/nodes/wsl2: its script for inside against file trees of WSL2 machines, and the ports that the script for
// Windows opens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "tests/support/command.hpp"

namespace ringrun::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string folder = RINGRUN_SOURCE_DIR "/hostfiles/nodes/wsl2/";
constexpr const char* key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 me@b";

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Wsl2Setup : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ringrun-wsl2-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(root_); }

  /// The file tree of this WSL2 machine, whose user is /home/me.
  void take(const std::string& tree) {
    fs::copy(RINGRUN_SOURCE_DIR "/tests/unit/fixtures/host/" + tree, root_, fs::copy_options::recursive);
    put("proc/sys/kernel/hostname", "a\n");
  }
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  /// As a machine on which everything is right: packages, systemd, a key.
  void complete() {
    std::string packages;
    for (const char* package : {"openssh-server", "openssh-client", "openmpi-bin", "libhwloc15"})
      packages += std::string("Package: ") + package + "\nStatus: install ok installed\n\n";
    put("var/lib/dpkg/status", packages);
    put("proc/1/comm", "systemd\n");
    put("home/me/.ssh/id_ed25519.pub", "ssh-ed25519 AAAA me@a\n");
  }
  CommandResult setup(std::vector<std::string> words = {}) {
    words.insert(words.begin(), {folder + "setup", "--root", root_.string()});
    CommandOptions options;
    options.env = {{"HOME", "/home/me"}};
    return run_command(words, options);
  }

  fs::path root_;
};

TEST_F(Wsl2Setup, BehindNatNamesTheScriptForWindowsAndSetsUpTheRest) {
  take("wsl2_nat");
  const auto result = setup({"--authorize", key, "--address", "192.168.1.5"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("networking is nat, not mirrored (W1)"), HasSubstr("-File windows.ps1"),
                                HasSubstr("install openssh-server openssh-client openmpi-bin libhwloc15"),
                                HasSubstr("ssh-keygen -t ed25519 -f /home/me/.ssh/id_ed25519"),
                                HasSubstr("on Windows: wsl --shutdown")));
  EXPECT_EQ(read(root_ / "etc/wsl.conf"), "[boot]\nsystemd=true\n[network]\ngenerateHosts=false\n");
  EXPECT_EQ(read(root_ / "home/me/.ssh/authorized_keys"), std::string(key) + "\n");
  EXPECT_THAT(read(root_ / "etc/ssh/sshd_config.d/ringrun.conf"), StartsWith("Port 22\n"));
  EXPECT_THAT(read(root_ / "etc/hosts"), AllOf(EndsWith("192.168.1.5\ta\n"), Not(HasSubstr("127.0.1.1"))));
}

TEST_F(Wsl2Setup, TwiceIsOnce) {
  take("wsl2_mirrored");
  complete();
  const std::vector<std::string> words{"--authorize", key, "--address", "192.168.1.5"};
  EXPECT_THAT(setup(words).out, Not(HasSubstr("nothing to do here")));
  const auto again = setup(words);
  EXPECT_EQ(again.out, "setup: nothing to do here\n");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(read(root_ / "home/me/.ssh/authorized_keys"), std::string(key) + "\n");
}

TEST_F(Wsl2Setup, DryRunChangesNothing) {
  take("wsl2_mirrored");
  const auto result = setup({"--dry-run", "--authorize", key});
  EXPECT_THAT(result.out, HasSubstr("/etc/wsl.conf: systemd=true"));
  EXPECT_FALSE(fs::exists(root_ / "etc/wsl.conf"));
  EXPECT_FALSE(fs::exists(root_ / "etc/ssh"));
  EXPECT_FALSE(fs::exists(root_ / "home"));
}

TEST_F(Wsl2Setup, KeepsWhatElseIsSaidInWslConf) {
  take("wsl2_mirrored");
  put("etc/wsl.conf", "# mine\n[boot]\nsystemd=false\ncommand=true\n\n[user]\ndefault=me\n");
  setup();
  EXPECT_EQ(read(root_ / "etc/wsl.conf"), "# mine\n[boot]\nsystemd=true\ncommand=true\n\n[user]\ndefault=me\n");
}

TEST_F(Wsl2Setup, StopsNetworkManagerInside) {
  take("wsl2_mirrored");
  complete();
  put("run/NetworkManager/resolv.conf", "");
  EXPECT_THAT(setup().out, HasSubstr("systemctl disable --now NetworkManager"));
}

TEST_F(Wsl2Setup, NamesALinuxDriverThatHidesWindowsOwn) {
  take("wsl2_mirrored");
  complete();
  std::ofstream(root_ / "var/lib/dpkg/status", std::ios::app) << "Package: nvidia-driver-550\nStatus: install\n";
  const auto result = setup();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("sudo apt-get purge nvidia-driver-550"));
}

TEST_F(Wsl2Setup, RefusesWhatCannotBeANode) {
  take("docker");
  EXPECT_THAT(setup().err, HasSubstr("this is no WSL2"));
  put("proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n");
  EXPECT_THAT(setup().err, HasSubstr("wsl --set-version"));
  EXPECT_THAT(setup({"--port", "5357"}).err, HasSubstr("(W5)"));
  EXPECT_EQ(setup({"--port", "ssh"}).exit_code, 2);
}

TEST_F(Wsl2Setup, RefusesAKeyThatIsNone) {
  take("wsl2_mirrored");
  const auto result = setup({"--authorize", "/no/such/file"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("'/no/such/file' is neither a public key nor a file of them"));
}

TEST(Wsl2Windows, OpensEveryPortThatAJobUsesAndNoneThatWindowsKeeps) {
  const std::string script = read(folder + "windows.ps1");
  std::smatch list;
  ASSERT_TRUE(std::regex_search(script, list, std::regex("\\$Ports = @\\((.*)\\)")));
  const std::string words = list[1];
  std::vector<bool> open(65536, false);
  const std::regex range("'([0-9]+)(-([0-9]+))?'");
  for (std::sregex_iterator each(words.begin(), words.end(), range), end; each != end; ++each) {
    const int first = std::stoi((*each)[1]);
    const int last = (*each)[3].matched ? std::stoi((*each)[3]) : first;
    for (int port = first; port <= last; ++port) open[static_cast<std::size_t>(port)] = true;
  }
  const std::vector<int> kept{135, 1900, 2869, 3702, 5004, 5357, 5358};
  EXPECT_TRUE(open[22]);
  for (int port = 1; port < 65536; ++port) {
    const bool is_kept = std::find(kept.begin(), kept.end(), port) != kept.end();
    if (is_kept || port > 1023) {
      EXPECT_EQ(open[static_cast<std::size_t>(port)], !is_kept) << port;
    }
  }
}

TEST(Wsl2Windows, SetsWhatTheFileForHandworkSays) {
  const std::string script = read(folder + "windows.ps1");
  std::ifstream file(folder + "wslconfig");
  std::string section;
  int settings = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_match(line, match, std::regex("\\[(.*)\\]"))) section = match[1];
    if (!std::regex_match(line, match, std::regex("(\\w+)=(.*)"))) continue;
    EXPECT_THAT(script,
                HasSubstr("-Section '" + section + "' -Key '" + match.str(1) + "' -Value '" + match.str(2) + "'"));
    ++settings;
  }
  EXPECT_EQ(settings, 3);
}

}  // namespace
}  // namespace ringrun::test
