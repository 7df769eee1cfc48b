#include "launcher/launcher.hpp"

#include <ostream>

#include "launcher/cli/help.hpp"
#include "launcher/cli/parse.hpp"
#include "launcher/engine/rsh.hpp"
#include "launcher/launch.hpp"
#include "launcher/launch_errors.hpp"
#include "launcher/masquerade.hpp"
#include "launcher/probe/agent.hpp"
#include "launcher/request_checks.hpp"
#include "launcher/run/exec_entry.hpp"
#include "launcher/run/leftover_daemons.hpp"
#include "launcher/run/rank_wrapper.hpp"
#include "lib/version.hpp"

namespace ringrun {
namespace {

int start(const std::string& program, const std::vector<std::string>& args, const Streams& streams) {
  const std::string entry = args.empty() ? "" : args[0];
  if (entry.rfind("__", 0) == 0) {
    const std::vector<std::string> words(args.begin() + 1, args.end());
    if (entry == "__agent") return run_agent();
    if (entry == "__rank") return run_rank(words);
    if (entry == "__rsh") return run_rsh(words, read_environment());
    if (entry == "__exec") return run_exec(words);
    if (entry == "__end") return run_end(words);
  }
  const Environment environment = read_environment();
  check_not_own_engine(environment);
  LaunchRequest request = parse_command_line(args);
  request.masquerade = is_engines_name(program);
  if (request.help) {
    print_help(streams.out);
    return printed(streams.out);
  }
  if (request.completion) {
    print_bash_completion(streams.out);
    return printed(streams.out);
  }
  if (request.masquerade && is_for_engine(request)) return become_engine(program, request, args, environment);
  if (request.version) {
    streams.out << "ringrun " << kVersion << "\n";
    return printed(streams.out);
  }
  return launch(request, streams);
}

int explain(std::ostream& err, const UserError& error, int exit_code) {
  err << "ringrun: " << error.what() << "\n";
  if (!error.remedy().empty()) err << "  " << error.remedy() << "\n";
  return exit_code;
}

}  // namespace

int run(const std::string& program, const std::vector<std::string>& args, const Streams& streams) {
  constexpr int kBadRequest = 2;
  constexpr int kHostOrNetwork = 3;
  try {
    return start(program, args, streams);
  } catch (const ProgramError& error) {
    return explain(streams.err, error, error.exit_code());
  } catch (const HostError& error) {
    return explain(streams.err, error, kHostOrNetwork);
  } catch (const UserError& error) {
    return explain(streams.err, error, kBadRequest);
  } catch (const std::exception& error) {
    streams.err << "ringrun: " << error.what() << "\n";
    return kHostOrNetwork;
  }
}

}  // namespace ringrun
