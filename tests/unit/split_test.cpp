#include "worker/sweep/split.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "lib/error.hpp"

namespace ringrun::worker {
namespace {

std::vector<int> groups(const char* mask, const char* rule) {
  const Split split = parse_split(mask, rule);
  std::vector<int> of_processes;
  for (int process = 0; process < 6; ++process) of_processes.push_back(split.group_of(process));
  return of_processes;
}

TEST(Split, GivesEveryProcessTheGroupThatNcclTestsGivesIt) {
  using Groups = std::vector<int>;
  EXPECT_EQ(groups(nullptr, nullptr), (Groups{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(groups("0x1", nullptr), (Groups{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(groups("7", nullptr), (Groups{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(groups("0x0", nullptr), (Groups{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(groups(nullptr, "AND 0x1"), (Groups{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(groups(nullptr, "OR 0b11"), (Groups{3, 3, 3, 3, 7, 7}));
  EXPECT_EQ(groups(nullptr, "MOD 3"), (Groups{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(groups(nullptr, "DIV 2"), (Groups{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(groups(nullptr, "mod3"), groups(nullptr, "% 3"));
  EXPECT_EQ(groups(nullptr, "/0o2"), groups(nullptr, "DIV 2"));
  EXPECT_EQ(groups(nullptr, "& 1"), groups("1", "MOD 3"));
}

TEST(Split, RefusesWhatIsNoRule) {
  for (const char* rule : {"8", "XOR 8", "MOD", "MOD 0", "DIV 0", "MOD -1", "MOD 8x", "AND 0xg"})
    EXPECT_THROW(parse_split(nullptr, rule), UserError) << rule;
  for (const char* mask : {"MOD 8", "0x", "-1", "g"}) EXPECT_THROW(parse_split(mask, nullptr), UserError) << mask;
}

}  // namespace
}  // namespace ringrun::worker
