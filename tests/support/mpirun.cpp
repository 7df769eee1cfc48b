#include "tests/support/mpirun.hpp"

namespace ringrun::test {

CommandResult mpirun(int ranks, const std::vector<std::string>& program, CommandOptions options) {
  options.cwd = RINGRUN_BIN_DIR;
  // Open MPI 4.1 and 5 read the same two variables.
  options.env.insert({{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  std::vector<std::string> argv{"mpirun", "--oversubscribe", "-np", std::to_string(ranks)};
  argv.insert(argv.end(), program.begin(), program.end());
  return run_command(argv, options);
}

}  // namespace ringrun::test
