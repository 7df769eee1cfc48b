#include <cctype>
#include <map>

#include "launcher/cli/option_groups.hpp"
#include "lib/error.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

using EngineWords = std::optional<std::vector<std::string>>;

std::vector<std::string> both_dashes(const std::string& name) {
  if (name.size() == 2) return {name};
  return {name, name.rfind("--", 0) == 0 ? name.substr(1) : "-" + name};
}

struct PassedRow {
  std::string name;
  std::string values;
  std::string help;
  EngineWords four;
  EngineWords five;
  std::string remedy;
};

std::string example_of(const std::string& values) {
  static const std::map<std::string, std::string> kExamples = {
      {"N", "1"}, {"LIST", "USR1"}, {"DIR", "/tmp"}, {"FILE", "file"}, {"NAME", "ompi"}, {"PROGRAM", "orted"}};
  const auto found = kExamples.find(values);
  return found == kExamples.end() ? "-" : found->second;
}

OptionRow passed(PassedRow row) {
  Values example;
  if (!row.values.empty()) example = {example_of(row.values)};
  return {both_dashes(row.name),
          static_cast<int>(example.size()),
          row.values,
          row.help,
          example,
          [row](OptionTarget t, const Values& v) {
            t.job.engine_options.passed.push_back({row.name, row.four, row.five, v, row.remedy});
          }};
}

/// On both generations under its own name.
OptionRow same(const std::string& name, const std::string& values, const std::string& help) {
  return passed({name, values, help, {{name}}, {{name}}, "leave it off"});
}

OptionRow only_four(const std::string& name, const std::string& values, const std::string& help) {
  return passed({name, values, help, {{name}}, {}, "leave it off, or use Open MPI 4.1"});
}

/// What cannot be where ringrun stands between the engine and the program.
OptionRow refused(const std::string& name, const std::string& values, const std::string& help,
                  const std::string& remedy) {
  OptionRow row = {both_dashes(name), values.empty() ? 0 : 1, values, help + " (not supported)", {}, {}};
  if (row.arity > 0) row.example = {example_of(values)};
  row.apply = [name, remedy](OptionTarget, const Values&) {
    throw UserError(name + " is not supported by ringrun", remedy);
  };
  return row;
}

/// Engines know signals by their whole names.
OptionRow signals(PassedRow row) {
  OptionRow result = passed(row);
  result.apply = [apply = result.apply](OptionTarget t, const Values& v) {
    std::vector<std::string> names;
    for (const std::string& name : split_text(v[0], ',')) {
      const bool short_name = !name.empty() && std::isupper(static_cast<unsigned char>(name[0])) != 0;
      names.push_back(short_name && name.rfind("SIG", 0) != 0 ? "SIG" + name : name);
    }
    apply(t, {join_text(names, ",")});
  };
  return result;
}

}  // namespace

OptionRows engine_options() {
  const std::string debugger = "attach to the running ranks, or start the engine's own mpirun by its path";
  const std::string output = "--tag-output, --timestamp-output and --output-filename are there";
  const std::string timeout = "look at the ranks with gdb or py-spy while they run";
  return {
      only_four("-cf", "FILE", "a cartography file"),
      only_four("--novm", "", "daemons only where ranks run"),
      only_four("--do-not-resolve", "", "do not look interfaces up"),
      only_four("--ompi-server", "URI", "the publish and lookup server"),
      only_four("--max-vm-size", "N", "number of daemons"),
      only_four("--set-cwd-to-session-dir", "", "ranks start in the engine's session folder"),
      only_four("--use-regexp", "", "names of hosts as regular expressions"),
      only_four("--fwd-mpirun-port", "", "every daemon listens on mpirun's port"),
      only_four("--enable-instant-on-support", "", "PMIx's instant start"),
      signals({"--forward-signals",
               "LIST",
               "further signals that the ranks get",
               {{"--mca", "ess_base_forward_signals"}},
               {{"--forward-signals"}},
               ""}),
      // Open MPI 4 asks every host anyway; 5.0.7 has the parameter and no option.
      passed({"--hetero-nodes",
              "",
              "hosts differ in their cores",
              Values{},
              {{"--prtemca", "prte_hetero_nodes", "1"}},
              ""}),
      passed({"--tmpdir",
              "DIR",
              "where the engine keeps its session folder",
              {{"--mca", "orte_tmpdir_base"}},
              {{"--tmpdir"}},
              ""}),
      passed({"--stream-buffering",
              "N",
              "0 none, 1 by line, 2 full",
              {},
              {{"--stream-buffering"}},
              "start the program with stdbuf -oL"}),
      same("--noprefix", "", "no --prefix for the daemons"),
      same("--personality", "NAME", "the programming model"),
      same("--launch-agent", "PROGRAM", "the engine's daemon"),
      same("--report-uri", "WHERE", "the engine's own address goes to -, + or a file"),
      same("--show-progress", "", "the engine says how far the start is"),
      same("--enable-recovery", "", "a failed rank does not end the job"),
      same("--disable-recovery", "", "a failed rank ends the job"),
      same("--continuous", "", "the job runs until it is ended"),
      same("--report-child-jobs-separately", "", "the exit code is that of the first job"),
      same("--debug-daemons", "", "the daemons say what they do"),
      same("--leave-session-attached", "", "the daemons stay attached"),
      same("--tune", "FILE", "a file of parameters"),
      same("-am", "FILE", "files of sets of parameters"),
      refused("--index-argv-by-rank", "", "add the rank to the program's name",
              "the engine would name ringrun, which starts the program; the program finds its rank in RANK"),
      refused("--debug", "", "start a debugger", debugger),
      refused("-tv", "", "start a debugger", debugger),
      refused("--debugger", "LIST", "start a debugger", debugger),
      refused("--xterm", "LIST", "a terminal for each rank", output),
      refused("--xml", "", "output as XML", output),
      refused("--xml-file", "FILE", "output as XML", output),
      refused("--output-proctable", "", "the debugger's table of processes", "--display-map prints ringrun's"),
      refused("--get-stack-traces", "", "stack traces on a timeout", timeout),
      refused("--report-state-on-timeout", "", "states of processes on a timeout", timeout),
      refused("--dvm", "", "start daemons alone", "start prte or orte-dvm"),
      refused("--hnp", "URI", "use daemons that run", "start prun or orterun by its path"),
  };
}

}  // namespace ringrun
