// README in its two languages: the same commands, sections and links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

namespace ringrun::test {
namespace {

struct Readme {
  std::vector<std::string> code;     ///< the lines of all blocks, fences included
  std::vector<std::string> levels;   ///< "##" of each heading, in order
  std::vector<std::string> targets;  ///< of the links to files, sorted
};

Readme read(const std::string& name) {
  static const std::regex link("\\]\\(([^)#]+)(#[^)]*)?\\)");
  std::ifstream file(RINGRUN_SOURCE_DIR "/" + name);
  Readme readme;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    const bool fence = line.rfind("```", 0) == 0;
    if (inside || fence || line.rfind("<!--", 0) == 0) {
      readme.code.push_back(line);
    } else if (line.rfind("#", 0) == 0) {
      readme.levels.push_back(line.substr(0, line.find(' ')));
    }
    if (fence) inside = !inside;
    if (inside) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at)
      readme.targets.push_back((*at)[1]);
  }
  std::sort(readme.targets.begin(), readme.targets.end());
  return readme;
}

std::vector<std::string> without(std::vector<std::string> list, const std::string& one) {
  list.erase(std::remove(list.begin(), list.end(), one), list.end());
  return list;
}

TEST(Readme, HasTheSameCommandsAndOutputsInBothLanguages) {
  const auto english = read("README.md").code;
  ASSERT_THAT(english, testing::Contains("```console"));
  EXPECT_EQ(read("README.zh.md").code, english);
}

TEST(Readme, HasTheSameSectionsAndLinksInBothLanguages) {
  const Readme english = read("README.md");
  const Readme chinese = read("README.zh.md");
  EXPECT_EQ(chinese.levels, english.levels);
  EXPECT_THAT(english.targets, testing::Contains("README.zh.md"));
  EXPECT_THAT(chinese.targets, testing::Contains("README.md"));
  EXPECT_EQ(without(chinese.targets, "README.md"), without(english.targets, "README.zh.md"));
}

TEST(Readme, LinksToFilesThatAreThere) {
  for (const std::string& target : read("README.md").targets)
    EXPECT_TRUE(std::filesystem::exists(RINGRUN_SOURCE_DIR "/" + target)) << target;
}

}  // namespace
}  // namespace ringrun::test
