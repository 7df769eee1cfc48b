#include "launcher/staging/copy_intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "launcher/probe/agent_protocol.hpp"
#include "tests/unit/copy_sender.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CopyIntake : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ringrun_copy_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    home_ = pattern;
  }
  void TearDown() override { fs::remove_all(home_); }

  static mode_t mode_of(const fs::path& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
  std::vector<std::string> copies() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(home_ / ".cache/ringrun/programs"))
      names.push_back(entry.path().filename().string());
    return names;
  }

  fs::path home_;
};

TEST_F(CopyIntake, AProgramThatIsNotThereIsWantedAndNothingIsMade) {
  const CopyAnswer answer = CopySender{home_}.ask();
  EXPECT_THAT(answer.wanted, ElementsAre(0));
  EXPECT_EQ(answer.problem, "");
  EXPECT_TRUE(fs::is_empty(home_));
}

TEST_F(CopyIntake, AProgramArrivesWholeForItsUserAloneAndIsNotWantedAgain) {
  const CopySender sender{home_};
  const CopyAnswer answer = sender.send();
  EXPECT_EQ(answer.problem, "");
  const fs::path program = answer.folder + "/program";
  EXPECT_EQ(content_of(program), sender.content);
  for (const fs::path& path : {program, program.parent_path(), home_ / ".cache/ringrun"})
    EXPECT_EQ(mode_of(path), 0700u) << path;
  EXPECT_EQ(answer.program.state, ProgramState::executable);
  const CopyAnswer again = sender.ask();
  EXPECT_THAT(again.wanted, IsEmpty());
  EXPECT_EQ(again.program, answer.program);
}

TEST_F(CopyIntake, WhatStandsBesideTheProgramArrivesWithIt) {
  CopySender sender{home_};
  sender.names = {"program", "libraries/libx.so.1"};
  const CopyAnswer answer = sender.send();
  EXPECT_EQ(content_of(answer.folder + "/libraries/libx.so.1"), sender.content) << answer.problem;
}

TEST_F(CopyIntake, AChangedProgramIsAnotherCopyAndTheOldOneStays) {
  const CopySender sender{home_};
  CopySender changed = sender;
  changed.content = changed.sent = "#!/bin/sh\necho 43\n";
  const std::string first = sender.send().folder;
  EXPECT_NE(changed.send().folder, first);
  EXPECT_EQ(content_of(first + "/program"), sender.content);
}

TEST_F(CopyIntake, ABrokenCopyIsReplaced) {
  const CopySender sender{home_};
  const std::string folder = sender.send().folder;
  fs::resize_file(folder + "/program", 0);
  EXPECT_THAT(sender.ask().wanted, ElementsAre(0));
  EXPECT_EQ(sender.send().problem, "");
  EXPECT_EQ(content_of(folder + "/program"), sender.content);
  EXPECT_EQ(copies().size(), 1u);
}

TEST_F(CopyIntake, ACopyThatEndsInTheMiddleLeavesNothing) {
  CopySender sender{home_};
  sender.sent.resize(5);
  EXPECT_EQ(problem_of([&] { sender.send(); }), "the connection ended in the middle of a copy");
  EXPECT_THAT(copies(), IsEmpty());
}

TEST_F(CopyIntake, AFileThatChangesWhileItIsCopiedIsNotKept) {
  CopySender sender{home_};
  sender.sent[0] = '!';
  EXPECT_EQ(sender.send().problem, "program changed while it was copied");
  EXPECT_THAT(copies(), IsEmpty());
}

TEST_F(CopyIntake, ManyAtOnceAllFindOneWholeCopy) {
  CopySender sender{home_};
  sender.content = sender.sent = std::string(3 << 20, 'x');
  std::vector<CopyAnswer> answers(8);
  std::vector<std::thread> threads;
  for (CopyAnswer& answer : answers) threads.emplace_back([&answer, sender] { answer = sender.send(); });
  for (std::thread& thread : threads) thread.join();
  for (const CopyAnswer& answer : answers) {
    EXPECT_EQ(answer.problem, "");
    EXPECT_EQ(content_of(answer.folder + "/program"), sender.content);
  }
  EXPECT_EQ(copies().size(), 1u);
}

TEST_F(CopyIntake, ANameThatLeavesTheFolderIsRefusedAndWhatWasSentIsSkipped) {
  CopySender sender{home_};
  sender.names = {"../../../.profile"};
  EXPECT_THAT(sender.send().problem, HasSubstr("under the name"));
  EXPECT_EQ(sender.unread, "") << "the next request would not be found";
  EXPECT_TRUE(fs::is_empty(home_));
}

TEST_F(CopyIntake, AFolderThatIsALinkElsewhereIsNotTrusted) {
  fs::create_directories(home_ / ".cache");
  fs::create_directories(home_ / "elsewhere");
  fs::create_directory_symlink(home_ / "elsewhere", home_ / ".cache/ringrun");
  EXPECT_THAT(CopySender{home_}.send().problem, HasSubstr(".cache/ringrun is not this user's own folder"));
  EXPECT_TRUE(fs::is_empty(home_ / "elsewhere"));
}

TEST_F(CopyIntake, AFileIsPlacedInAFolderThatWasNotThere) {
  CopySender sender{home_};
  sender.names = {"a.txt", "sub/b.txt"};
  sender.folder = home_ / "work/here";
  EXPECT_THAT(sender.ask().wanted, ElementsAre(0, 1));
  EXPECT_EQ(sender.send().problem, "");
  EXPECT_EQ(content_of(home_ / "work/here/sub/b.txt"), sender.content);
  EXPECT_THAT(sender.ask().wanted, IsEmpty());
}

TEST_F(CopyIntake, AFolderIsMadeAndAFileInItsPlaceIsKept) {
  const std::string folder = home_ / "work";
  CopyRequest request;
  request.files = {{"data/logs", 0, "", false, true}};
  request.folder = folder;
  const auto obey = [&] {
    return obey_copy_request(request, {{"HOME", home_.string()}}, [](char*, std::size_t) { return std::size_t{0}; });
  };
  EXPECT_THAT(obey().wanted, ElementsAre(0));
  request.sent = {0};
  EXPECT_EQ(obey().problem, "");
  EXPECT_TRUE(fs::is_directory(folder + "/data/logs"));
  request.sent.clear();
  EXPECT_THAT(obey().wanted, IsEmpty());
  fs::remove(folder + "/data/logs");
  std::ofstream(folder + "/data/logs") << "mine";
  EXPECT_EQ(obey().problem, "another " + folder + "/data/logs is there, and is kept");
}

TEST_F(CopyIntake, APlacedFileFollowsItsSourceAndAPersonsOwnIsKept) {
  CopySender sender{home_};
  sender.folder = home_;
  ASSERT_EQ(sender.send().problem, "");
  CopySender changed = sender;
  changed.content = changed.sent = "new";
  EXPECT_THAT(changed.ask().wanted, ElementsAre(0));
  EXPECT_EQ(changed.send().problem, "");
  EXPECT_EQ(content_of(home_ / "program"), "new");
  std::ofstream(home_ / "program") << "mine";
  EXPECT_EQ(sender.send().problem, "another " + (home_ / "program").string() + " is there, and is kept");
  EXPECT_EQ(content_of(home_ / "program"), "mine");
  EXPECT_EQ(sender.unread, "");
}

TEST(CopyRequestJson, TravelsAsARequestToTheAgent) {
  CopyRequest request;
  request.files = {copy_file("program", "bytes"), copy_file("x", "", false)};
  request.folder = "/tmp";
  request.cache_home = "/scratch";
  request.sent = {1};
  request.libraries = {"liba.so"};
  request.question.cwd = "/home";
  const auto read = std::get<CopyRequest>(agent_request_from_json(to_json(AgentRequest(request))));
  EXPECT_EQ(to_json(read), to_json(request));
  EXPECT_EQ(bytes_sent(read), 0u);
  request.sent = {2};
  EXPECT_THAT(problem_of([&] { agent_request_from_json(to_json(AgentRequest(request))); }), Not(IsEmpty()))
      << "a place that is none";
}

}  // namespace
}  // namespace ringrun::test
