#include "launcher/cli/normalise.hpp"

#include <algorithm>

#include "lib/error.hpp"

namespace ringrun {
namespace {

[[noreturn]] void reject_unknown(const std::string& word) {
  const std::string nearest = nearest_spelling(word);
  throw UserError("unknown option '" + word + "'",
                  (nearest.empty() ? "" : "did you mean " + nearest + "? ") +
                      std::string("Options of the program stand behind its name; ringrun -h lists ringrun's own"));
}

/// `--name=value`; the row is nullptr where that is not what `word` says.
OptionUse split_at_equals(const std::string& word) {
  OptionUse use;
  const std::size_t equals = word.find('=');
  // "-x=1" is no way to write -x 1.
  constexpr std::size_t kShortest = 3;
  if (equals == std::string::npos || equals < kShortest) return use;
  use.row = find_option(word.substr(0, equals));
  if (use.row == nullptr) return use;
  if (use.row->arity != 1) {
    throw UserError("'" + word + "': " + use.row->spellings[0] + " takes no value after '='",
                    use.row->arity == 2 ? "write " + use.row->spellings[0] + " " + use.row->values : "");
  }
  use.values.push_back(word.substr(equals + 1));
  return use;
}

/// "-np", and "--np=2".
bool is_option(const std::string& word) {
  return find_option(word) != nullptr || find_option(word.substr(0, word.find('='))) != nullptr;
}

/// Where a value was forgotten, the next option must not be taken for it.
void check_value(const OptionRow& row, const std::string& typed, const std::string& value) {
  const bool names = row.spellings[0] == "-x" || row.spellings[0] == "-H" || row.spellings[0] == "-hostfile";
  const bool option = value.size() > 1 && value[0] == '-' && (names || is_option(value));
  if (!option) return;
  throw UserError(typed + " needs " + row.values + " behind it, and the option " + value + " stands there",
                  "write " + typed + " " + row.values + ", then " + value);
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : word_(words.begin()), end_(words.end()) {}

  NormalisedProgram read_program() {
    NormalisedProgram result;
    while (word_ != end_ && word_->size() > 1 && word_->front() == '-') {
      if (*word_ == "--") {
        ++word_;
        break;
      }
      result.options.push_back(read_option());
    }
    const auto colon = std::find(word_, end_, ":");
    result.program.assign(word_, colon);
    word_ = colon;
    return result;
  }

  /// True where ':' stood there, and steps over it.
  bool read_colon() {
    if (word_ == end_) return false;
    ++word_;
    return true;
  }

 private:
  OptionUse read_option() {
    const std::string& typed = *word_;
    OptionUse use{find_option(typed), {}};
    if (use.row == nullptr) use = split_at_equals(typed);
    if (use.row == nullptr) reject_unknown(typed);
    for (++word_; static_cast<int>(use.values.size()) < use.row->arity; ++word_) {
      if (word_ == end_) {
        throw UserError(typed + " needs " + use.row->values + " behind it", "ringrun -h lists the options");
      }
      if (use.values.empty()) check_value(*use.row, typed, *word_);
      use.values.push_back(*word_);
    }
    return use;
  }

  std::vector<std::string>::const_iterator word_;
  std::vector<std::string>::const_iterator end_;
};

}  // namespace

std::vector<NormalisedProgram> normalise(const std::vector<std::string>& words) {
  Reader reader(words);
  std::vector<NormalisedProgram> programs{reader.read_program()};
  while (reader.read_colon()) programs.push_back(reader.read_program());
  const bool missing = std::any_of(programs.begin(), programs.end(), [](const auto& p) { return p.program.empty(); });
  if (programs.size() > 1 && missing) {
    throw UserError("a program is missing beside ':', which stands between programs",
                    "write -np N PROGRAM : -np M PROGRAM; where a program wants an argument ':', put its call into a "
                    "script");
  }
  return programs;
}

}  // namespace ringrun
