#include "launcher/staging/user_cache.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/copy_sender.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class UserCache : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ringrun_cache_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    home_ = pattern;
  }
  void TearDown() override { fs::remove_all(home_); }

  /// A copy that was used so many days ago.
  fs::path copy(const std::string& content, int days) const {
    CopySender sender{home_};
    sender.content = sender.sent = content;
    const fs::path folder = sender.send().folder;
    const timespec then[2] = {{time(nullptr) - days * 86400, 0}, {time(nullptr) - days * 86400, 0}};
    utimensat(AT_FDCWD, folder.c_str(), then, 0);
    return folder;
  }

  fs::path home_;
};

TEST_F(UserCache, ACopyThatNobodyUsedForTwoWeeksGoesWhenAnotherIsMade) {
  const fs::path old = copy("old", 15);
  const fs::path recent = copy("recent", 13);
  copy("new", 0);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(recent));
}

TEST_F(UserCache, ACopyThatARankHoldsStays) {
  const fs::path old = copy("old", 0);
  Descriptor held = hold_copy(old);
  copy("old", 15);
  copy("new", 0);
  EXPECT_EQ(content_of(old / "program"), "old");
  held.reset();
  copy("newer", 0);
  EXPECT_FALSE(fs::exists(old));
}

TEST_F(UserCache, ACopyIsYoungAgainOnceItIsUsed) {
  const fs::path old = copy("old", 15);
  EXPECT_TRUE(hold_copy(old));
  copy("new", 0);
  EXPECT_TRUE(fs::exists(old));
  EXPECT_FALSE(hold_copy(home_)) << "which is no copy";
}

TEST_F(UserCache, HalfACopyOfALostConnectionGoesToo) {
  const fs::path half = copy("program", 0).parent_path() / ".new.abcdef";
  fs::create_directory(half);
  const timespec then[2] = {{time(nullptr) - 2 * 86400, 0}, {time(nullptr) - 2 * 86400, 0}};
  utimensat(AT_FDCWD, half.c_str(), then, 0);
  copy("new", 0);
  EXPECT_FALSE(fs::exists(half));
}

TEST_F(UserCache, ItsPlaceIsTheUsersWordElseTheHostsElseHome) {
  EXPECT_EQ(cache_folder("/scratch", {{"HOME", "/home/u"}}), "/scratch/ringrun");
  EXPECT_EQ(cache_folder("", {{"HOME", "/home/u"}, {"XDG_CACHE_HOME", "/fast"}}), "/fast/ringrun");
  EXPECT_EQ(cache_folder("", {{"HOME", "/home/u"}}), "/home/u/.cache/ringrun");
  EXPECT_THAT(error_text([] { cache_folder("", {}); }), HasSubstr("HOME is not set | behind the host in the hostfile"));
}

TEST_F(UserCache, APlaceWithoutRoomIsKnownBeforeAnythingIsSent) {
  EXPECT_EQ(look_at_place(home_ / "not/there/yet", 1 << 20, true).problem, "");
  const CopyFault full = look_at_place(home_ / "not/there/yet", std::uint64_t{1} << 60, true);
  EXPECT_THAT(full.problem, HasSubstr(home_.string() + ": the disk or the quota is full, "));
  EXPECT_THAT(full.remedy, HasSubstr("df -h"));
  EXPECT_FALSE(fs::exists(home_ / "not"));
}

}  // namespace
}  // namespace ringrun::test
