#include "launcher/cli/option_groups.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

void add_files(OptionTarget target, const Values& values) {
  for (const std::string& name : split_text(values[0], ',')) {
    if (!name.empty()) target.program.preload.files.push_back(name);
  }
}

}  // namespace

OptionRows preload_options() {
  return {
      {{"-s", "--preload-binary", "-preload-binary"},
       0,
       "",
       "every host runs a copy of this host's program (unasked: only where it is missing)",
       {},
       [](OptionTarget t, const Values&) { t.program.preload.program = true; }},
      {{"--preload-libraries"},
       0,
       "",
       "and of its libraries, those of the system only where they are missing",
       {},
       [](OptionTarget t, const Values&) { t.program.preload.program = t.program.preload.libraries = true; }},
      {{"--preload-files", "-preload-files"},
       1,
       "LIST",
       "files, with commas between them, that are copied into the ranks' working directory",
       {"train.py"},
       add_files},
  };
}

}  // namespace ringrun
