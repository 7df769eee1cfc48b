#pragma once

#include <string>
#include <vector>

#include "launcher/run/last_lines.hpp"
#include "launcher/run/output_lines.hpp"
#include "lib/descriptor.hpp"

namespace ringrun {

/// The program's output streams on their way through its wrapper to the engine. Standard error always goes this way,
/// unchanged, so that its last lines are known; standard output only where the style asks for it.
class RankStreams {
 public:
  /// `style.files` is a folder as mpirun's --output-filename takes it: "F:nocopy" shows nothing, "F:nojobid" has no
  /// folder for the job. `again`: the job has been started before, and its files grow. Throws UserError where a file
  /// cannot be made, SystemError.
  RankStreams(const OutputStyle& style, int rank, int size, bool again);

  /// In the program's process: its streams stand at 1 and 2.
  void enter_program() const;

  /// In a process that only waits, and in the wrapper: nothing that the program has ended or closed stays open.
  void leave();
  void begin();

  /// Passes on what comes until `until` has something to read, or is at its end.
  void pass_on(int until);

  /// Passes on what is there now.
  void drain();

  /// Of standard error.
  std::vector<std::string> last_lines() const { return last_lines_.lines(); }

 private:
  struct Stream {
    Stream(OutputLines style, int output) : lines(std::move(style)), to(output) {}
    OutputLines lines;
    int to;
    Descriptor source;
    Descriptor end;
    Descriptor file;
    bool is_err = false;
  };

  Stream& add(OutputLines lines, int to, bool terminal);
  bool read_some(Stream& stream);
  void write_out(Stream& stream, const std::string& text);
  void flush();

  std::vector<Stream> streams_;
  /// The engine's standard output, kept where the wrapper's own is put aside.
  Descriptor out_;
  LastLines last_lines_;
  bool merged_ = false;
  bool copies_ = true;
};

}  // namespace ringrun
