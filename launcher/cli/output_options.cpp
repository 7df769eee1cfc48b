#include "launcher/cli/option_groups.hpp"
#include "launcher/cli/option_values.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

void set_files(OptionTarget target, const std::string& option, const std::string& folder) {
  OutputStyle& output = target.job.output;
  const std::size_t colon = folder.find(':');
  if (folder.empty() || colon == 0) throw UserError(option + " names no folder", "write " + option + " FOLDER");
  for (const std::string& word : split_text(colon == std::string::npos ? "" : folder.substr(colon + 1), ',')) {
    if (word.empty() || word == "nocopy" || word == "nojobid") continue;
    throw UserError(option + " '" + folder + "': the qualifier '" + word + "' is not known", "nocopy, nojobid");
  }
  if (!output.files.empty() && output.files != folder)
    throw UserError(option + " names a second folder for output", "leave one of them");
  output.files = folder;
}

/// The words of Open MPI 5.
void add_output(OptionTarget target, const Values& values) {
  OutputStyle& output = target.job.output;
  for (const std::string& word : split_text(values[0], ',')) {
    const std::string name = lower_case(word.substr(0, word.find('=')));
    const bool has_value = name.size() < word.size();
    if (name == "tag" || name == "rank" || name == "tag-detailed" || name == "tag-fullname") {
      output.tag = true;
    } else if (name == "timestamp") {
      output.timestamp = true;
    } else if (name == "merge" || name == "merge-stderr-to-stdout") {
      output.merge = true;
    } else if ((name == "file" || name == "filename" || name == "dir" || name == "directory") && has_value) {
      set_files(target, "--output " + name, word.substr(name.size() + 1));
    } else {
      throw UserError("--output '" + word + "' is not known", "tag, timestamp, merge, file=FOLDER");
    }
  }
}

void add_display(OptionTarget target, const Values& values) {
  for (const std::string& typed : split_text(values[0], ',')) {
    const std::string word = lower_case(typed);
    if (word == "map") {
      target.job.display_map = true;
    } else if (word == "allocation" || word == "alloc") {
      target.job.display_allocation = true;
    } else if (word == "bind" || word == "bindings" || word == "map-devel" || word == "topo" ||
               word.rfind("topo=", 0) == 0) {
      target.job.engine_options.display.push_back(word == "bindings" ? "bind" : word);
    } else {
      throw UserError("--display '" + typed + "' is not known", "map, allocation, bind, map-devel, topo");
    }
  }
}

OptionRow engine_display(std::vector<std::string> spellings, const std::string& word, const std::string& help) {
  return {std::move(spellings), 0, "", help, {}, [word](OptionTarget t, const Values&) {
            t.job.engine_options.display.push_back(word);
          }};
}

}  // namespace

OptionRows output_options() {
  return {
      {{"--tag-output", "-tag-output"},
       0,
       "",
       "begin each line with its rank and stream",
       {},
       [](OptionTarget t, const Values&) { t.job.output.tag = true; }},
      {{"--timestamp-output", "-timestamp-output"},
       0,
       "",
       "begin each line with the time",
       {},
       [](OptionTarget t, const Values&) { t.job.output.timestamp = true; }},
      {{"--merge-stderr-to-stdout", "-merge-stderr-to-stdout"},
       0,
       "",
       "standard error goes where standard output goes",
       {},
       [](OptionTarget t, const Values&) { t.job.output.merge = true; }},
      {{"--output-filename", "-output-filename"},
       1,
       "DIR",
       "each rank's output in files under this folder too",
       {"logs"},
       [](OptionTarget t, const Values& v) { set_files(t, "--output-filename", v[0]); }},
      {{"--output", "-output"}, 1, "LIST", "tag, timestamp, merge, file=DIR", {"tag,merge"}, add_output},
      {{"--display-map", "-display-map"},
       0,
       "",
       "print the table of ranks, then start",
       {},
       [](OptionTarget t, const Values&) { t.job.display_map = true; }},
      {{"--display-allocation", "-display-allocation"},
       0,
       "",
       "print the hosts and their slots, then start",
       {},
       [](OptionTarget t, const Values&) { t.job.display_allocation = true; }},
      {{"--display", "-display"}, 1, "LIST", "map, allocation, bind, map-devel, topo", {"map,bind"}, add_display},
      engine_display({"--report-bindings", "-report-bindings"}, "bind",
                     "print each rank's binding; the sweep says what its ranks really have"),
      engine_display({"--display-devel-map", "-display-devel-map"}, "map-devel", "the engine's own map"),
      engine_display({"--display-devel-allocation", "-display-devel-allocation"}, "allocation-devel",
                     "the engine's own list of hosts"),
      engine_display({"--display-topo", "-display-topo"}, "topo", "the engine prints the hosts' topology"),
      {{"-v", "--verbose", "-verbose"},
       0,
       "",
       "say what is decided, and the engine's command",
       {},
       [](OptionTarget t, const Values&) { t.job.verbose = true; }},
      {{"-q", "--quiet", "-quiet"},
       0,
       "",
       "no warnings before the job",
       {},
       [](OptionTarget t, const Values&) { t.job.quiet = true; }},
  };
}

}  // namespace ringrun
