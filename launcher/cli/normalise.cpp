#include "launcher/cli/normalise.hpp"

#include "lib/error.hpp"

namespace ringrun {
namespace {

[[noreturn]] void reject_unknown(const std::string& word) {
  const std::string nearest = nearest_spelling(word);
  throw UserError("unknown option '" + word + "'",
                  (nearest.empty() ? "" : "did you mean " + nearest + "? ") +
                      std::string("Options of the program stand behind its name; ringrun -h lists ringrun's own"));
}

}  // namespace

NormalisedLine normalise(const std::vector<std::string>& words) {
  NormalisedLine line;
  auto word = words.begin();
  for (; word != words.end() && word->size() > 1 && word->front() == '-'; ++word) {
    if (*word == "--") {
      ++word;
      break;
    }
    const std::string& typed = *word;
    OptionUse use{find_option(typed), {}};
    const std::size_t equals = word->find('=');
    if (use.row == nullptr && equals != std::string::npos && word->compare(0, 2, "--") == 0) {
      use.row = find_option(word->substr(0, equals));
      if (use.row != nullptr && use.row->arity != 1) {
        throw UserError("'" + *word + "': " + use.row->spellings[0] + " takes no value after '='",
                        use.row->arity == 2 ? "write " + use.row->spellings[0] + " " + use.row->values : "");
      }
      if (use.row != nullptr) use.values.push_back(word->substr(equals + 1));
    }
    if (use.row == nullptr) reject_unknown(*word);
    while (static_cast<int>(use.values.size()) < use.row->arity) {
      if (word + 1 == words.end()) {
        throw UserError(typed + " needs " + use.row->values + " behind it", "ringrun -h lists the options");
      }
      use.values.push_back(*++word);
    }
    line.options.push_back(std::move(use));
  }
  line.program.assign(word, words.end());
  return line;
}

}  // namespace ringrun
