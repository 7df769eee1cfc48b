#include "launcher/cli/option_groups.hpp"
#include "launcher/cli/option_values.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

void set_timeout(OptionTarget target, const std::string& text) {
  set_once("--timeout", target.job.timeout, whole_number("--timeout", text, 0));
}

void set_restarts(OptionTarget target, const std::string& text) {
  target.job.max_restarts = whole_number("--max-restarts", text, 0, 10000);
}

/// Open MPI 5's. What ringrun does by itself is done here, the engine has the rest.
void add_runtime(OptionTarget target, const Values& values) {
  for (const std::string& typed : split_text(values[0], ',')) {
    const std::size_t equals = typed.find('=');
    const std::string name = lower_case(typed.substr(0, equals));
    const std::string value = equals == std::string::npos ? "" : typed.substr(equals + 1);
    if (name == "donotlaunch") {
      target.job.dry_run = true;
    } else if (name == "timeout") {
      set_timeout(target, value);
    } else if (name == "max-restarts") {
      set_restarts(target, value);
    } else if (name == "report-state-on-timeout" || name == "get-stack-traces") {
      throw UserError("--runtime-options " + name + " is not supported: ringrun keeps --timeout by itself",
                      "look at the ranks with gdb or py-spy while they run");
    } else {
      target.job.engine_options.runtime.push_back(typed);
    }
  }
}

void set_standard_input(OptionTarget target, const Values& values) {
  const std::string text = lower_case(values[0]);
  if (text == "all")
    throw UserError("--stdin all is not supported: neither engine gives every rank the whole input",
                    "let the ranks read a file, or name one rank");
  if (text == "0") return;
  const std::string rank = text == "none" ? text : std::to_string(whole_number("--stdin", text, 0));
  set_once("--stdin", target.job.engine_options.standard_input, rank);
}

}  // namespace

OptionRows running_options() {
  return {
      {{"--app", "-app"},
       1,
       "FILE",
       "several programs: each line has what stands between ':' otherwise",
       {"programs"},
       [](OptionTarget t, const Values& v) { set_once("--app", t.job.app_file, v[0]); }},
      {{"--stdin", "-stdin"},
       1,
       "RANK",
       "the rank that standard input goes to; none (0)",
       {"none"},
       set_standard_input},
      {{"--timeout", "-timeout"},
       1,
       "SECONDS",
       "end a job that takes longer, with exit code 124",
       {"60"},
       [](OptionTarget t, const Values& v) { set_timeout(t, v[0]); }},
      {{"--max-restarts", "-max-restarts"},
       1,
       "N",
       "start the job again after a failed rank, so often (0)",
       {"3"},
       [](OptionTarget t, const Values& v) { set_restarts(t, v[0]); }},
      {{"--report-pid", "-report-pid"},
       1,
       "WHERE",
       "ringrun's process id goes to - standard output, + standard error, or a file",
       {"+"},
       [](OptionTarget t, const Values& v) { set_once("--report-pid", t.job.report_pid, v[0]); }},
      {{"--runtime-options", "-runtime-options"},
       1,
       "LIST",
       "donotlaunch, timeout=N, max-restarts=N, show-progress, …",
       {"show-progress"},
       add_runtime},
      {{"--prefix", "-prefix"},
       1,
       "DIR",
       "where Open MPI stands on every host",
       {"/opt/openmpi"},
       [](OptionTarget t, const Values& v) { set_once("--prefix", t.job.prefix, v[0]); }},
      {{"--allow-run-as-root", "-allow-run-as-root"},
       0,
       "",
       "as root, in a container",
       {},
       [](OptionTarget t, const Values&) { t.job.allow_run_as_root = true; }},
      {{"--dry-run", "--do-not-launch", "-do-not-launch"},
       0,
       "",
       "ask the hosts, print what would start, start nothing",
       {},
       [](OptionTarget t, const Values&) { t.job.dry_run = true; }},
      {{"-V", "--version", "-version"},
       0,
       "",
       "print the version",
       {},
       [](OptionTarget t, const Values&) { t.job.version = true; }},
      {{"-h", "--help", "-help"}, 0, "", "print this", {}, [](OptionTarget t, const Values&) { t.job.help = true; }},
  };
}

}  // namespace ringrun
