#include <algorithm>
#include <array>

#include "launcher/engine/engine_options.hpp"
#include "lib/error.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

struct Renamed {
  const char* word;
  const char* option;
};

const char* find_renamed(const Renamed* begin, const Renamed* end, const std::string& word) {
  const auto* found = std::find_if(begin, end, [&](const Renamed& entry) { return entry.word == word; });
  return found == end ? nullptr : found->option;
}

/// What Open MPI 5 says behind --display, Open MPI 4 has options of their own for.
constexpr std::array kDisplay4 = {Renamed{"bind", "--report-bindings"}, Renamed{"topo", "--display-topo"},
                                  Renamed{"map-devel", "--display-devel-map"},
                                  Renamed{"allocation-devel", "--display-devel-allocation"}};

/// Likewise behind --runtime-options.
constexpr std::array kRuntime4 = {Renamed{"show-progress", "--show-progress"}, Renamed{"continuous", "--continuous"},
                                  Renamed{"recoverable", "--enable-recovery"},
                                  Renamed{"report-child-jobs-separately", "--report-child-jobs-separately"}};

template <typename Table>
void append_renamed(Words& words, const Table& table, const Words& said, const std::string& option) {
  for (const std::string& word : said) {
    const char* found = find_renamed(table.data(), table.data() + table.size(), word);
    if (found == nullptr)
      throw UserError("Open MPI 4 does not know " + option + " " + word, "leave it off, or use Open MPI 5");
    words.emplace_back(found);
  }
}

Words words_of_four(const EngineOptions& options) {
  Words words;
  append_renamed(words, kDisplay4, options.display, "--display");
  append_renamed(words, kRuntime4, options.runtime, "--runtime-options");
  return words;
}

/// 5.0.7 takes each of these options once.
Words words_of_five(const EngineOptions& options) {
  Words words;
  for (const std::string& word : options.display) {
    if (word == "allocation-devel")
      throw UserError("Open MPI 5 does not know --display-devel-allocation", "write --display-allocation");
  }
  if (!options.display.empty()) append(words, {"--display", join_text(options.display, ",")});
  if (!options.runtime.empty()) append(words, {"--runtime-options", join_text(options.runtime, ",")});
  return words;
}

void check_slurm(const EngineOptions& options) {
  const std::string remedy = "leave it off, or start the job by mpirun: --engine openmpi";
  if (!options.display.empty()) throw UserError("Slurm does not know --display " + options.display[0], remedy);
  if (!options.runtime.empty()) throw UserError("Slurm does not know --runtime-options " + options.runtime[0], remedy);
}

void append_passed(Words& words, EngineKind kind, const std::vector<PassedOption>& passed) {
  for (const PassedOption& option : passed) {
    const auto& engine_words = kind == EngineKind::openmpi4 ? option.four : option.five;
    if (kind == EngineKind::slurm || !engine_words)
      throw UserError(engine_name(kind) + " does not know " + option.name, option.remedy);
    append(words, *engine_words);
    append(words, option.values);
  }
}

}  // namespace

std::vector<std::string> option_words(EngineKind kind, const EngineOptions& options) {
  Words words = mapping_words(kind, options.mapping);
  switch (kind) {
    case EngineKind::openmpi4:
      append(words, words_of_four(options));
      break;
    case EngineKind::openmpi5:
      append(words, words_of_five(options));
      break;
    case EngineKind::slurm:
      check_slurm(options);
      break;
  }
  if (options.standard_input) {
    if (kind == EngineKind::slurm) {
      words.push_back("--input=" + *options.standard_input);
    } else {
      append(words, {"--stdin", *options.standard_input});
    }
  }
  append_passed(words, kind, options.passed);
  return words;
}

}  // namespace ringrun
