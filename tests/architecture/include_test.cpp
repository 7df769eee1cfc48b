#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace ringrun::test {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file;  ///< relative to the source folder
  std::string what;
};

/// Every #include of the programs' own files.
const std::vector<Include>& includes() {
  static const std::vector<Include> all = [] {
    std::vector<Include> found;
    const std::regex directive(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
    for (const char* folder : {"lib", "launcher", "worker"}) {
      for (const auto& entry : fs::recursive_directory_iterator(fs::path(RINGRUN_SOURCE_DIR) / folder)) {
        if (!entry.is_regular_file() || entry.path().filename() == "CMakeLists.txt") continue;
        std::ifstream in(entry.path());
        for (std::string line; std::getline(in, line);) {
          std::smatch match;
          if (std::regex_search(line, match, directive)) {
            found.push_back({fs::relative(entry.path(), RINGRUN_SOURCE_DIR).string(), match[1]});
          }
        }
      }
    }
    return found;
  }();
  return all;
}

std::vector<std::string> breaches(const std::string& including, const std::string& included) {
  std::vector<std::string> found;
  for (const Include& include : includes()) {
    if (std::regex_search(include.file, std::regex(including)) &&
        std::regex_search(include.what, std::regex(included))) {
      found.push_back(include.file + " includes " + include.what);
    }
  }
  return found;
}

TEST(Includes, AreFoundAtAll) { EXPECT_GT(includes().size(), 300u); }

TEST(Includes, NeverLeadFromTheLibraryUpwards) {
  EXPECT_THAT(breaches("^lib/", "^(launcher|worker)/"), testing::IsEmpty());
}

TEST(Includes, NeverLeadFromOneProgramToTheOther) {
  EXPECT_THAT(breaches("^launcher/", "^worker/"), testing::IsEmpty());
  EXPECT_THAT(breaches("^worker/", "^launcher/"), testing::IsEmpty());
}

TEST(Includes, OfAForeignLibraryStandInOnePlace) {
  EXPECT_THAT(breaches("^(?!lib/topology/(hwloc_(reader|cards)|kernel_nodes)\\.cpp)", "^hwloc"), testing::IsEmpty());
  EXPECT_THAT(breaches("^(?!lib/mpi/|worker/backend/)", "^mpi\\.h$"), testing::IsEmpty());
  EXPECT_THAT(breaches("^(?!lib/mpi/)", "^pmix"), testing::IsEmpty());
  EXPECT_THAT(breaches("^(?!lib/nccl/|worker/backend/nccl/)", "^(nccl\\.h|cuda)"), testing::IsEmpty());
  EXPECT_THAT(breaches("^(?!launcher/cli/|worker/cli/)", "^cxxopts"), testing::IsEmpty());
  EXPECT_THAT(breaches("^(?!launcher/run/|launcher/probe/)", "^uv\\.h$"), testing::IsEmpty());
}

TEST(Includes, OfTheSweepReachNeitherABackendNorTheReport) {
  EXPECT_THAT(breaches("^worker/sweep/", "^worker/(backend|report|cli)/"), testing::IsEmpty());
}

}  // namespace
}  // namespace ringrun::test
