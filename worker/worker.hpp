#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "worker/report/output_stream.hpp"

namespace ringrun::worker {

/// Runs the sweep as one process of the job; returns its exit code. `program` is the name it was called by. Every error
/// ends here: it is printed with this process's host and rank, and, where the others may be waiting, ends the job.
int run_worker(const std::string& program, const std::vector<std::string>& arguments, OutputStream& out,
               std::ostream& err);

}  // namespace ringrun::worker
