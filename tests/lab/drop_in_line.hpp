#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace ringrun::test {

/// What ringrun does differently from mpirun with a command line, by design.
struct DropInDifference {
  enum class Kind {
    exits,  ///< both fail; ringrun with `exit_code`
    like,   ///< ringrun does what mpirun does with `words`
  };
  Kind kind;
  int exit_code = 0;
  std::string words;
  std::string reason;
};

/// A row of tests/lab/drop_in/lines, which says how it is read.
struct DropInLine {
  std::string title;
  std::string called;  ///< the name by which ringrun is called
  std::string host;    ///< where it is called
  int engine;          ///< generation of Open MPI; a row for two of them is two of these
  std::string command;
  std::optional<DropInDifference> difference;

  /// The title as a test's name: "TwoRanksOfANode".
  std::string test_name() const;
};

void PrintTo(const DropInLine& line, std::ostream* stream);

/// The rows of the table for one generation. Throws std::runtime_error with the line's number where one cannot be read.
std::vector<DropInLine> read_drop_in_lines(const std::string& path, int engine);

}  // namespace ringrun::test
