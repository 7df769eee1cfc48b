#include "lib/text/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace ringrun {
namespace {

TEST(TextTable, AlignsNumbersToTheRightAndWordsToTheLeft) {
  Table table({"rank", "host", "gpu"});
  table.add_row({"0", "a", "-"});
  table.add_row({"10", "node-b", "NVIDIA H200"});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(),
            "rank  host    gpu\n"
            "   0  a       -\n"
            "  10  node-b  NVIDIA H200\n");
}

TEST(TextTable, RefusesARowOfAnotherLength) {
  Table table({"rank", "host"});
  EXPECT_THROW(table.add_row({"0"}), std::invalid_argument);
}

}  // namespace
}  // namespace ringrun
