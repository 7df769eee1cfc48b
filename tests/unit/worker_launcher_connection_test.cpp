#include "worker/network/launcher_connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace ringrun::worker {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

/// A /proc in which this process's parent is 40 (a shell) and that one's 30, the daemon, which has sockets 900 and 901.
class LauncherConnection : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "launcher_connection.XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    proc_ = pattern;
    add_process("self", 40, {});
    add_process("40", 30, {"700"});
    add_process("30", 1, {"900", "901"});
    fs::create_directories(proc_ / "self/net");
  }
  void TearDown() override { fs::remove_all(proc_); }

  void add_process(const std::string& pid, int parent, const std::vector<std::string>& sockets) {
    fs::create_directories(proc_ / pid / "fd");
    std::ofstream(proc_ / pid / "status") << "Name:\tx\nPPid:\t" << parent << "\n";
    for (const auto& inode : sockets) fs::create_symlink("socket:[" + inode + "]", proc_ / pid / "fd" / inode);
  }

  void set_table(const std::string& name, const std::vector<std::string>& rows) {
    std::ofstream table(proc_ / "self/net" / name);
    table << "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
    for (const auto& row : rows) table << row << '\n';
  }

  static std::string row(const std::string& addresses, const std::string& state, const std::string& inode) {
    return "   0: " + addresses + " " + state + " 00000000:00000000 00:00000000 00000000     0        0 " + inode +
           " 1 0000000000000000";
  }

  fs::path proc_;
};

TEST_F(LauncherConnection, IsThatOfTheDaemonWithAnotherHost) {
  // 192.168.1.6:40000 with 192.168.1.5:50000.
  set_table("tcp", {row("0601A8C0:9C40 0501A8C0:C350", "01", "900")});
  EXPECT_THAT(addresses_towards_launcher(proc_), ElementsAre("192.168.1.6"));
}

TEST_F(LauncherConnection, IsNoneThatListensOrStaysOnThisHostOrIsOfAnotherProcess) {
  set_table("tcp", {row("0601A8C0:9C40 00000000:0000", "0A", "900"), row("0100007F:9C40 0100007F:C350", "01", "901"),
                    row("0601A8C0:9C40 0601A8C0:C350", "01", "901"), row("0601A8C0:9C40 0501A8C0:C350", "01", "555")});
  EXPECT_THAT(addresses_towards_launcher(proc_), IsEmpty());
}

TEST_F(LauncherConnection, MayBeOverIpv6OrOverIpv4ThatASocketTakesForIpv6) {
  set_table("tcp6", {row("B80D0120000000000000000006000000:0016 B80D0120000000000000000005000000:C350", "01", "900"),
                     row("0000000000000000FFFF00000601A8C0:0016 0000000000000000FFFF00000501A8C0:C350", "01", "901")});
  EXPECT_THAT(addresses_towards_launcher(proc_), ElementsAre("2001:db8::6", "192.168.1.6"));
}

TEST_F(LauncherConnection, IsUnknownWhereTheSocketsOfTheLauncherMayNotBeRead) {
  fs::remove_all(proc_ / "30/fd");
  set_table("tcp", {row("0601A8C0:9C40 0501A8C0:C350", "01", "900")});
  EXPECT_THAT(addresses_towards_launcher(proc_), IsEmpty());
}

}  // namespace
}  // namespace ringrun::worker
