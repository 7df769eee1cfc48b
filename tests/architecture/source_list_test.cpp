#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ringrun::test {
namespace {

namespace fs = std::filesystem;

// A test that a merge has dropped from its list fails nobody.
TEST(SourceLists, NameEverySourceFile) {
  std::string lists;
  std::vector<std::string> sources;
  for (const char* folder : {"lib", "launcher", "worker", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(RINGRUN_SOURCE_DIR) / folder)) {
      const fs::path& path = entry.path();
      if (path.filename() == "CMakeLists.txt") {
        std::ifstream in(path);
        lists.append(std::istreambuf_iterator<char>(in), {});
      } else if (path.extension() == ".cpp" || path.extension() == ".cu") {
        sources.push_back(path.filename().string());
      }
    }
  }
  ASSERT_GT(sources.size(), 300u);
  std::vector<std::string> unnamed;
  for (const std::string& source : sources) {
    if (lists.find(source) == std::string::npos) unnamed.push_back(source);
  }
  EXPECT_THAT(unnamed, testing::IsEmpty());
}

}  // namespace
}  // namespace ringrun::test
