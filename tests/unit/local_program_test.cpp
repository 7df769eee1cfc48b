#include "launcher/staging/local_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/unit/copy_sender.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class LocalProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ringrun_local_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, fs::perms perms = fs::perms::owner_all) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << name;
    fs::permissions(folder_ / name, perms);
  }
  std::vector<std::string> names_of(const std::string& program) const {
    HostQuestion question;
    question.program = (folder_ / program).string();
    question.cwd = "/";
    const auto local = read_local_program(question, false);
    if (!local) return {"none"};
    std::vector<std::string> names;
    for (const CopyFile& file : local->files.files) names.push_back(file.name);
    return names;
  }

  fs::path folder_;
};

TEST_F(LocalProgramTest, TheWorkerTakesItsGpuLibraryAlongUnderWhateverName) {
  write("worker");
  write("program");
  EXPECT_THAT(names_of("worker"), ElementsAre("worker")) << "built without it";
  write("libringrun_nccl.so");
  fs::create_symlink("worker", folder_ / "all_gather_perf");
  EXPECT_THAT(names_of("worker"), ElementsAre("worker", "libringrun_nccl.so"));
  EXPECT_THAT(names_of("all_gather_perf"), ElementsAre("all_gather_perf", "libringrun_nccl.so"));
  EXPECT_THAT(names_of("program"), ElementsAre("program"));
}

TEST_F(LocalProgramTest, IsNoneWhereItMayNotBeExecuted) {
  write("text", fs::perms::owner_read);
  EXPECT_THAT(names_of("text"), ElementsAre("none"));
  EXPECT_THAT(names_of("nowhere"), ElementsAre("none"));
}

TEST_F(LocalProgramTest, OfTheSystemOrAnInterpreterIsNotCopiedUnasked) {
  for (const char* path : {"/bin/sh", "/usr/bin/env", "/usr/lib/x/y", "/opt/conda/bin/python3.11", "/opt/jdk/bin/java"})
    EXPECT_FALSE(is_copied_unasked(path)) << path;
  for (const char* path : {"/home/u/a.out", "/usr/local/bin/train", "/opt/app/bin/solver"})
    EXPECT_TRUE(is_copied_unasked(path)) << path;
}

TEST_F(LocalProgramTest, ALinkToAnInterpreterIsOne) {
  write("python3.11");
  fs::create_symlink("python3.11", folder_ / "runner");
  EXPECT_FALSE(is_copied_unasked((folder_ / "runner").string()));
}

TEST_F(LocalProgramTest, LibrariesOfTheSystemGoAlongWhereTheHostLacksThem) {
  LocalProgram program;
  write("program");
  write("libown.so.1");
  write("libsystem.so.2");
  program.libraries = {{"libown.so.1", folder_ / "libown.so.1", false},
                       {"libsystem.so.2", folder_ / "libsystem.so.2", true}};
  const auto names = [&](const std::vector<std::string>& lacking) {
    std::vector<std::string> result;
    for (const CopyFile& file : files_for_host(program, lacking).files) result.push_back(file.name);
    return result;
  };
  EXPECT_THAT(names({}), ElementsAre("libraries/libown.so.1"));
  EXPECT_THAT(names({"libsystem.so.2"}), ElementsAre("libraries/libown.so.1", "libraries/libsystem.so.2"));
}

TEST_F(LocalProgramTest, ItsLibrariesAreAllButTheCLibrarysOwn) {
  std::vector<std::string> names;
  for (const NeededLibrary& library : library_closure("/proc/self/exe", "")) {
    names.push_back(library.name);
    EXPECT_TRUE(fs::exists(library.path)) << library.path;
  }
  EXPECT_THAT(names, Contains("libstdc++.so.6"));
  EXPECT_THAT(names, Contains("libgcc_s.so.1")) << "which libstdc++ needs too";
  EXPECT_THAT(names, Not(Contains("libc.so.6")));
  EXPECT_THAT(names, Not(Contains("libm.so.6")));
}

TEST_F(LocalProgramTest, FilesKeepTheirNamesAndOfAFolderAllGo) {
  write("data/one");
  write("data/deep/two");
  write("script.py", fs::perms::owner_read);
  const LocalFiles files = read_local_files({"./script.py", "data"}, folder_.string());
  std::vector<std::string> names;
  for (const CopyFile& file : files.files) names.push_back(file.name);
  std::sort(names.begin(), names.end());
  EXPECT_THAT(names, ElementsAre("data/deep/two", "data/one", "script.py"));
  EXPECT_FALSE(files.files[0].executable);
  EXPECT_THAT(error_text([&] { read_local_files({"nowhere"}, folder_.string()); }),
              HasSubstr("--preload-files nowhere: there is no such file here | "));
}

TEST_F(LocalProgramTest, OfAFolderEmptyOnesGoTooAndWhatCannotIsNamed) {
  write("data/one");
  fs::create_directories(folder_ / "data/deep/logs");
  fs::create_directory(folder_ / "out");
  const LocalFiles files = read_local_files({"data", "out"}, folder_.string());
  std::vector<std::string> empty;
  for (const CopyFile& file : files.files) {
    if (file.folder) empty.push_back(file.name);
  }
  EXPECT_THAT(empty, ElementsAre("data/deep/logs", "out"));
  EXPECT_EQ(files.files.size(), 3u);

  const auto refused = [&](const std::string& name) {
    return error_text([&] { read_local_files({name}, folder_.string()); });
  };
  ASSERT_EQ(mkfifo((folder_ / "data/deep/pipe").c_str(), 0600), 0);
  EXPECT_THAT(refused("data"), HasSubstr("data/deep/pipe is a named pipe, which cannot be copied | "));
  EXPECT_THAT(refused("data/deep/pipe"), HasSubstr("is a named pipe"));
  EXPECT_THAT(refused("/dev/null"), HasSubstr("/dev/null is a device"));
  fs::create_directory_symlink(folder_ / "data", folder_ / "out/up");
  EXPECT_THAT(refused("out"), HasSubstr("out/up is a link to a folder"));
  fs::remove(folder_ / "out/up");
  fs::create_symlink("gone", folder_ / "out/lost");
  EXPECT_THAT(refused("out"), HasSubstr("out/lost is a link that leads nowhere"));
}

}  // namespace
}  // namespace ringrun::test
