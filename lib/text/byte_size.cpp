#include "lib/text/byte_size.hpp"

#include <charconv>
#include <cmath>

#include "lib/error.hpp"

namespace ringrun {
namespace {

constexpr std::string_view kUnits = "KMGT";
constexpr std::string_view kBlanks = " \t\n";

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

[[noreturn]] void reject(std::string_view text, const std::string& why) {
  throw UserError("'" + std::string(text) + "' is not a size: " + why, "write a number of bytes, or 8, 512K, 128M, 4G");
}

std::int64_t multiplier(std::string_view text, std::string_view suffix) {
  if (suffix.empty() || suffix == "B" || suffix == "b") return 1;
  const char upper = static_cast<char>(suffix[0] & ~0x20);
  const std::size_t power = kUnits.find(upper);
  const std::string_view rest = suffix.substr(1);
  if (power == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "b")) {
    reject(text, "'" + std::string(suffix) + "' is no unit");
  }
  return std::int64_t{1} << (10 * (power + 1));
}

}  // namespace

std::int64_t parse_byte_size(std::string_view text) {
  // In the forms of scanf's "%lf %1s", which nccl-tests reads sizes by.
  const std::string_view all = without_blanks(text);
  const bool hexadecimal = all.substr(0, 2) == "0x" || all.substr(0, 2) == "0X";
  const std::string_view digits = hexadecimal ? all.substr(2) : all;
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  double number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number, format);
  if (code != std::errc{}) reject(text, "it does not begin with a number");
  if (!std::isfinite(number) || std::signbit(number)) reject(text, "it must be a finite number from 0 upwards");
  const std::size_t length = static_cast<std::size_t>(end - digits.data());
  const std::int64_t unit = multiplier(text, without_blanks(digits.substr(length)));
  const double bytes = number * static_cast<double>(unit);
  // 2^63 is a double, 2^63 - 1 is not.
  if (bytes >= 9223372036854775808.0) reject(text, "it is too large");
  // Whole numbers above 2^53 are read as integers, so that no digit is lost.
  std::int64_t whole = 0;
  const auto integer = std::from_chars(digits.data(), digits.data() + digits.size(), whole, hexadecimal ? 16 : 10);
  if (integer.ec == std::errc{} && integer.ptr == end) return whole * unit;
  return static_cast<std::int64_t>(bytes);
}

std::string format_byte_size(std::int64_t bytes) {
  std::size_t power = 0;
  while (bytes != 0 && bytes % 1024 == 0 && power < kUnits.size()) {
    bytes /= 1024;
    ++power;
  }
  return power == 0 ? std::to_string(bytes) : std::to_string(bytes) + kUnits[power - 1];
}

}  // namespace ringrun
