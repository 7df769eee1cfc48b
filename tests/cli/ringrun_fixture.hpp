#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/command.hpp"

namespace ringrun::test {

/// The real program, allowed to start jobs as root, in a folder of the test's own.
class Ringrun : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ringrun-cli-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  CommandResult ringrun(std::vector<std::string> words, std::map<std::string, std::string> environment = {}) {
    words.insert(words.begin(), built_program("ringrun"));
    environment.insert({{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
    CommandOptions options;
    options.cwd = folder_;
    options.env = std::move(environment);
    return run_command(words, options);
  }

  std::string file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(folder_) / name;
    std::ofstream(path) << text;
    return path.string();
  }

  std::string folder_;
};

}  // namespace ringrun::test
