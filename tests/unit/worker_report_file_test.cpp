#include "worker/report/report_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>

#include "lib/error.hpp"

namespace ringrun::worker {
namespace {

using testing::HasSubstr;

class ReportFileTest : public testing::Test {
 protected:
  ReportFileTest() : folder_(std::filesystem::temp_directory_path() / ("ringrun-file-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~ReportFileTest() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return folder_ / name; }
  static std::string contents(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  auto files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(ReportFileTest, KeepsAnOlderOneWhereThereIsNoRoomForTheNew) {
  std::ofstream(file("x")) << "old";
  EXPECT_EXIT(
      {
        ::signal(SIGXFSZ, SIG_IGN);
        rlimit little{};
        little.rlim_cur = little.rlim_max = 100;
        setrlimit(RLIMIT_FSIZE, &little);
        try {
          ReportFile("-J", file("x")).write(std::string(1000, 'n'));
        } catch (const UserError& error) {
          std::fprintf(stderr, "%s\n", error.what());
          std::_Exit(6);
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(6), "-J: cannot write .*/x: File too large");
  EXPECT_EQ(contents(file("x")), "old");
  EXPECT_EQ(files(), 1) << "nothing is left beside it";
}

TEST_F(ReportFileTest, ReplacesWhatALinkNamesAndKeepsThePermissions) {
  std::ofstream(file("x")) << "old and longer";
  ::chmod(file("x").c_str(), 0640);
  std::filesystem::create_symlink("x", file("link"));
  ReportFile("-J", file("link")).write("new");
  EXPECT_EQ(contents(file("x")), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(file("link")));
  EXPECT_EQ(std::filesystem::status(file("x")).permissions(), std::filesystem::perms{0640});
}

TEST_F(ReportFileTest, LeavesNoEmptyFileWhereItsTextNeverComes) {
  std::filesystem::create_symlink("x", file("link"));
  const ReportFile report("-J", file("link"));
  EXPECT_EQ(files(), 1);
  report.write("new");
  EXPECT_EQ(contents(file("x")), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(file("link")));
}

TEST_F(ReportFileTest, GivesTheReaderOfAPipeTheWholeTextAtOnce) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  const ReportFile report("-J", file("pipe"));
  auto reader = std::async(std::launch::async, [this] { return contents(file("pipe")); });
  const std::string text(300'000, 't');
  report.write(text);
  EXPECT_EQ(reader.get(), text);
}

TEST_F(ReportFileTest, DoesNotWaitForEverForTheReaderOfAPipe) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  try {
    ReportFile("-J", file("pipe")).write("text");
    ADD_FAILURE() << "nobody has read it";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("nobody reads that pipe"));
  }
}

TEST_F(ReportFileTest, NamesAFolder) {
  try {
    ReportFile("-J", file("."));
    ADD_FAILURE();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Is a directory"));
  }
}

}  // namespace
}  // namespace ringrun::worker
