#include "launcher/cli/parse.hpp"

#include "launcher/cli/app_file.hpp"
#include "launcher/cli/normalise.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

void apply(LaunchRequest& request, ProgramRequest& program, NormalisedProgram said) {
  for (const OptionUse& use : said.options) use.row->apply({request, program}, use.values);
  program.program = std::move(said.program);
}

/// A program of --app that names no hosts of its own has those of the command line.
ProgramRequest add_defaults(ProgramRequest program, const ProgramRequest& command_line) {
  if (!program.names_hosts()) {
    program.hostfile = command_line.hostfile;
    program.host_lists = command_line.host_lists;
  }
  program.exports.insert(program.exports.begin(), command_line.exports.begin(), command_line.exports.end());
  return program;
}

void read_programs(LaunchRequest& request) {
  if (!request.program.empty() || !request.more.empty()) {
    throw UserError(
        "--app names the programs, and " + (request.program.empty() ? ":" : request.program[0]) + " is one more",
        "write it into the file");
  }
  if (request.ranks || request.working_directory || request.path) {
    throw UserError("-np, -wdir and --path are said for each program, in the file of --app",
                    "write them on the programs' lines");
  }
  const ProgramRequest command_line = request;
  std::vector<ProgramRequest> programs;
  for (const std::vector<std::string>& words : read_app_file(*request.app_file)) {
    for (NormalisedProgram& said : normalise(words)) {
      ProgramRequest program;
      apply(request, program, std::move(said));
      if (program.program.empty())
        throw UserError("--app " + *request.app_file + ": a line has no program: " + words[0] + " …",
                        "write -np N PROGRAM on each line");
      programs.push_back(add_defaults(std::move(program), command_line));
    }
  }
  static_cast<ProgramRequest&>(request) = programs[0];
  request.more.assign(programs.begin() + 1, programs.end());
}

}  // namespace

LaunchRequest parse_command_line(const std::vector<std::string>& words) {
  std::vector<NormalisedProgram> programs = normalise(words);
  LaunchRequest request;
  apply(request, request, std::move(programs[0]));
  for (std::size_t i = 1; i < programs.size(); ++i) {
    ProgramRequest program;
    apply(request, program, std::move(programs[i]));
    request.more.push_back(std::move(program));
  }
  if (request.app_file) read_programs(request);
  return request;
}

}  // namespace ringrun
