#include "lib/text/byte_size.hpp"

#include <gtest/gtest.h>

#include "lib/error.hpp"

namespace ringrun {
namespace {

TEST(ByteSize, ReadsBinaryUnitsInEitherCase) {
  EXPECT_EQ(parse_byte_size("8"), 8);
  EXPECT_EQ(parse_byte_size("1k"), 1024);
  EXPECT_EQ(parse_byte_size("128M"), 134217728);
  EXPECT_EQ(parse_byte_size("128MB"), 134217728);
  EXPECT_EQ(parse_byte_size("1.5G"), 1610612736);
  EXPECT_EQ(parse_byte_size("2T"), std::int64_t{2} << 40);
}

TEST(ByteSize, ReadsWhateverFormScanfReads) {
  EXPECT_EQ(parse_byte_size("8 M"), 8 << 20);
  EXPECT_EQ(parse_byte_size(" 8\tk "), 8192);
  EXPECT_EQ(parse_byte_size("1e3"), 1000);
  EXPECT_EQ(parse_byte_size("1e3K"), 1024000);
  EXPECT_EQ(parse_byte_size("0x10"), 16);
  EXPECT_EQ(parse_byte_size("0x10K"), 16384);
  EXPECT_EQ(parse_byte_size("1.3K"), 1331) << "rounded down";
  EXPECT_EQ(parse_byte_size("0.3"), 0);
}

TEST(ByteSize, KeepsEveryDigitOfLargeNumbers) { EXPECT_EQ(parse_byte_size("9007199254740993"), 9007199254740993); }

TEST(ByteSize, QuotesWhatIsNotASize) {
  for (const char* text : {"", " ", "M", "-8", "8X", "8MM", "8 M M", "nan", "inf", "9999999999G", "8M8", "1e", "1e999",
                           "0x", "0xg", "- 8"}) {
    try {
      parse_byte_size(text);
      ADD_FAILURE() << "'" << text << "' was read as a size";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("'" + std::string(text) + "'"), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

TEST(ByteSize, WritesTheShortestExactForm) {
  for (const char* text : {"0", "8", "1000", "1K", "128M", "3G", "1T", "1025"}) {
    EXPECT_EQ(format_byte_size(parse_byte_size(text)), text);
  }
}

}  // namespace
}  // namespace ringrun
