#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/host/library_search.hpp"
#include "lib/host/nccl_library.hpp"
#include "lib/host/program_facts.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

/// The text that NCCL carries: this very program stands in for the library.
const char kNcclText[] = "NCCL version 9.87.6+cuda99.1";

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Programs and libraries made of this test's own file by writing other names, as long as the old, into it.
class Program : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ringrun_program_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) {
    const fs::path file = folder_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    chmod(file.c_str(), 0755);
    return file;
  }
  static std::string own_bytes() { return content("/proc/self/exe"); }
  static std::string renamed(std::string bytes, const std::string& from, std::string to) {
    to.resize(from.size(), '\0');
    for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + 1)) {
      bytes.replace(at, from.size(), to);
    }
    return bytes;
  }
  static HostQuestion about(const fs::path& program) {
    HostQuestion question;
    question.program = program.string();
    question.cwd = "/";
    return question;
  }

  fs::path folder_;
};

TEST_F(Program, IsExecutableMissingOrNot) {
  EXPECT_EQ(read_program_facts({}).state, ProgramState::not_asked);
  EXPECT_EQ(read_program_facts(about("/nowhere/x")).state, ProgramState::missing);
  EXPECT_EQ(read_program_facts(about("/etc/passwd")).state, ProgramState::not_executable);
  EXPECT_EQ(read_program_facts(about("/etc")).state, ProgramState::not_executable);
  EXPECT_EQ(read_program_facts(about("/bin/sh")).state, ProgramState::executable);
}

TEST_F(Program, WithARelativePathLiesInTheFolderOfTheJob) {
  write("bin/x", "#!/bin/sh\n");
  HostQuestion question = about("bin/x");
  question.cwd = folder_.string();
  EXPECT_EQ(read_program_facts(question).state, ProgramState::executable);
}

TEST_F(Program, ThatRunsLacksNothing) {
  const ProgramFacts facts = read_program_facts(about("/proc/self/exe"));
  EXPECT_THAT(facts.missing_libraries, IsEmpty());
  EXPECT_EQ(facts.mpi_library, "");
  EXPECT_EQ(facts.needs_glibc.rfind("2.", 0), 0u) << facts.needs_glibc;
}

TEST_F(Program, HasAHashOfItsContent) {
  const std::string hash = read_program_facts(about(write("one", "#!/bin/sh\nexit 0\n"))).hash;
  EXPECT_EQ(hash.size(), 32u);
  EXPECT_EQ(read_program_facts(about(write("same", "#!/bin/sh\nexit 0\n"))).hash, hash);
  EXPECT_NE(read_program_facts(about(write("other", "#!/bin/sh\nexit 1\n"))).hash, hash);
}

TEST_F(Program, OfEnormousSizeIsToldApartByItsEnds) {
  const fs::path file = write("large", "#!/bin/sh\n");
  fs::resize_file(file, (std::uintmax_t{256} << 20) + 1);
  const std::string hash = read_program_facts(about(file)).hash;
  EXPECT_EQ(hash.size(), 32u);
  fs::resize_file(file, (std::uintmax_t{256} << 20) + 2);
  EXPECT_NE(read_program_facts(about(file)).hash, hash);
}

TEST_F(Program, AsksForTheNewestGlibcOfItsSymbols) {
  const std::string version = read_program_facts(about("/proc/self/exe")).needs_glibc;
  std::string newer = version;
  for (char& letter : newer) letter = letter == '.' ? '.' : '9';
  const auto file = write("newer", renamed(own_bytes(), "GLIBC_" + version, "GLIBC_" + newer));
  EXPECT_EQ(read_program_facts(about(file)).needs_glibc, newer);
}

TEST_F(Program, NamesTheLibrariesThatTheLoaderWillMiss) {
  const auto file = write("bin/x", renamed(own_bytes(), "libhwloc.so.15", "libnowhere.so"));
  EXPECT_THAT(read_program_facts(about(file)).missing_libraries, ElementsAre("libnowhere.so"));
}

TEST_F(Program, FindsLibrariesByTheLibraryPathOfTheJob) {
  const auto file = write("bin/x", renamed(own_bytes(), "libhwloc.so.15", "libmpi.so.99"));
  const auto library = write("lib/libmpi.so.99", own_bytes());
  EXPECT_THAT(read_program_facts(about(file)).missing_libraries, ElementsAre("libmpi.so.99"));
  EXPECT_EQ(read_program_facts(about(file)).mpi_library, "");
  HostQuestion question = about(file);
  question.environment["LD_LIBRARY_PATH"] = "/nowhere:" + library.parent_path().string();
  EXPECT_THAT(read_program_facts(question).missing_libraries, IsEmpty());
  EXPECT_EQ(read_program_facts(question).mpi_library, library.string());
}

TEST_F(Program, ThatIsAScriptNeedsNoLibraries) {
  EXPECT_THAT(read_program_facts(about(write("x", "#!/usr/bin/python3\n"))).missing_libraries, IsEmpty());
}

TEST_F(Program, ThatIsCutOffIsNoReasonToFail) {
  const std::string bytes = own_bytes();
  for (const std::size_t size : {std::size_t{3}, std::size_t{40}, std::size_t{64}, std::size_t{500}, bytes.size() / 2})
    EXPECT_EQ(read_program_facts(about(write("cut", bytes.substr(0, size)))).state, ProgramState::executable);
}

TEST_F(Program, MayHaveNcclBesideTheLoadersFolders) {
  ASSERT_NE(own_bytes().find(kNcclText), std::string::npos);
  const auto library = write("lib/libnccl.so.2", own_bytes());
  write("lib/libnccl-net.so", own_bytes());
  const NcclLibrary nccl = find_nccl({}, {}, LibrarySearch(library.parent_path().string()));
  EXPECT_EQ(nccl.path, library.string());
  EXPECT_EQ(nccl.version, "9.87.6");
  EXPECT_EQ(nccl.why_not, "");
  EXPECT_EQ(nccl.plugin, (folder_ / "lib/libnccl-net.so").string());
}

TEST_F(Program, HasOriginInItsSearchFolders) {
  const auto library = write("lib/libx.so.1", own_bytes());
  fs::create_directory(folder_ / "bin");
  const LibrarySearch search("");
  ElfFile asking;
  asking.machine = *elf_machine(library);
  asking.runpath = {"$ORIGIN/../lib"};
  EXPECT_EQ(fs::path(search.find("libx.so.1", asking, folder_ / "bin")).lexically_normal(), library);
  asking.runpath = {"${ORIGIN}"};
  EXPECT_EQ(search.find("libx.so.1", asking, folder_ / "bin"), "");
}

TEST_F(Program, OfAnotherMachineIsNoLibraryForIt) {
  const auto library = write("lib/libx.so.1", own_bytes());
  ElfFile asking;
  asking.machine = *elf_machine(library) + 1;
  EXPECT_EQ(LibrarySearch(library.parent_path().string()).find("libx.so.1", asking, "/"), "");
}

TEST_F(Program, FindsWhatTheLoadersConfigurationNames) {
  write("etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n");
  write("etc/ld.so.conf.d/x.conf", "# ours\n/opt/x/lib\n");
  write("etc/ld.so.conf.d/y.disabled", "/opt/y/lib\n");
  write("opt/x/lib/libx.so.1", own_bytes());
  write("opt/y/lib/liby.so.1", own_bytes());
  const LibrarySearch search("", folder_);
  EXPECT_EQ(search.find("libx.so.1"), "/opt/x/lib/libx.so.1");
  EXPECT_EQ(search.find("liby.so.1"), "");
}

TEST(LibrarySearch, FindsTheSystemsOwnByTheLoadersCache) {
  const std::string found = LibrarySearch("").find("libc.so.6");
  EXPECT_TRUE(fs::exists(found)) << found;
  EXPECT_EQ(LibrarySearch("").find("libnowhere.so.1"), "");
}

}  // namespace
}  // namespace ringrun
