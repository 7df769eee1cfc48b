#pragma once

// cxxopts would split values at commas.
#ifndef CXXOPTS_VECTOR_DELIMITER
#define CXXOPTS_VECTOR_DELIMITER '\0'
#endif
#include <cxxopts.hpp>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "lib/error.hpp"
#include "lib/text/byte_size.hpp"

namespace ringrun::worker {

inline constexpr const char* kHelpRemedy = "'worker --help' lists the options";

/// The values of a parsed command line. Everything throws UserError, naming the option.
class OptionReader {
 public:
  explicit OptionReader(const cxxopts::ParseResult& parsed) : parsed_(parsed) {}

  std::string text(const char* option) const { return parsed_[option].as<std::string>(); }

  std::int64_t size(const char* option) const {
    try {
      return parse_byte_size(text(option));
    } catch (const UserError& error) {
      throw UserError(std::string("--") + option + ": " + error.what(), error.remedy());
    }
  }

  int integer(const char* option, int lowest, int highest = kMost) const {
    return integer("--" + std::string(option), text(option), lowest, highest);
  }

  /// Decimal, or 0x10, or octal behind a 0 (020), as nccl-tests reads it.
  static int integer(const std::string& name, const std::string& value, int lowest, int highest = kMost) {
    char* end = nullptr;
    errno = 0;
    const long number = std::strtol(value.c_str(), &end, 0);
    if (value.empty() || *end != '\0' || errno != 0 || number < lowest || number > highest) {
      throw UserError(name + ": '" + value + "' is not a whole number from " + std::to_string(lowest) +
                          (highest < kMost ? " to " + std::to_string(highest) : " upwards"),
                      kHelpRemedy);
    }
    return static_cast<int>(number);
  }

  bool yes(const char* option) const { return integer(option, 0, 1) == 1; }

  double seconds(const char* option) const { return amount("--" + std::string(option), text(option), "seconds"); }

  /// "90", "90s", "10m" or "2h" in seconds; nothing is 0.
  double duration(const char* option) const {
    std::string value = text(option);
    if (value.empty()) return 0;
    const double unit = value.back() == 'h' ? 3600 : value.back() == 'm' ? 60 : 1;
    if (unit > 1 || value.back() == 's') value.pop_back();
    return unit * amount("--" + std::string(option), value, "seconds, minutes (10m) or hours (2h)");
  }

  /// "5%" or "5" → 0.05.
  double percent(const char* option) const {
    std::string value = text(option);
    if (!value.empty() && value.back() == '%') value.pop_back();
    return amount("--" + std::string(option), value, "percent") / 100;
  }

  static double amount(const std::string& name, const std::string& value, const char* unit) {
    double number = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (code != std::errc{} || end != value.data() + value.size() || !(number >= 0 && number < 1e9)) {
      throw UserError(name + ": '" + value + "' is not a number of " + unit, kHelpRemedy);
    }
    return number;
  }

  /// The one element that the option names, or nothing for "all".
  template <typename Element>
  std::vector<Element> elements(const char* option, std::optional<Element> (*from)(std::string_view),
                                const std::vector<Element>& all) const {
    const std::string name = text(option);
    if (name == "all") return all;
    if (const auto element = from(name)) return {*element};
    std::string known;
    for (Element element : all) known += std::string(name_of(element)) + ", ";
    throw UserError(std::string("--") + option + ": '" + name + "' is not known", "one of " + known + "all");
  }

 private:
  static constexpr int kMost = 1 << 30;

  const cxxopts::ParseResult& parsed_;
};

}  // namespace ringrun::worker
