#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace ringrun::test {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// "Suite.Name" of every test, and of every suite with parameters.
std::set<std::string> tests_in_the_sources() {
  const std::regex test(R"(TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(RINGRUN_SOURCE_DIR) / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string source = contents(entry.path());
    for (auto match = std::sregex_iterator(source.begin(), source.end(), test); match != std::sregex_iterator();
         ++match)
      names.insert((*match)[1].str() + "." + (*match)[2].str());
  }
  return names;
}

/// `Suite.*` and `Suite.BeginOfItsName…` in the page.
TEST(DocumentedTests, AreThere) {
  const std::set<std::string> tests = tests_in_the_sources();
  ASSERT_GT(tests.size(), 500u);
  const std::string page = contents(fs::path(RINGRUN_SOURCE_DIR) / "docs/nccl-tests.md");
  const std::regex pattern("`([A-Z]\\w+\\.\\w*)(\\*|\u2026)?`");
  int patterns = 0;
  for (auto match = std::sregex_iterator(page.begin(), page.end(), pattern); match != std::sregex_iterator(); ++match) {
    ++patterns;
    const std::string begin = (*match)[1];
    const auto found = tests.lower_bound(begin);
    const bool is_there = found != tests.end() && ((*match)[2].matched ? found->rfind(begin, 0) == 0 : *found == begin);
    EXPECT_TRUE(is_there) << "docs/nccl-tests.md names " << (*match)[0];
  }
  EXPECT_GT(patterns, 60);
}

}  // namespace
}  // namespace ringrun::test
