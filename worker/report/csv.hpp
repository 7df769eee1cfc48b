#pragma once

#include <string>

#include "lib/descriptor.hpp"
#include "worker/report/output_stream.hpp"
#include "worker/sweep/row.hpp"

namespace ringrun::worker {

/// The results as comma-separated values: a heading, then two lines for each row, out-of-place and in-place, written as
/// they are measured. Times in microseconds, bandwidths in GB/s. What was not measured is empty.
class CsvReport {
 public:
  /// Begins the file anew. Throws UserError where it cannot be written.
  explicit CsvReport(const std::string& file);
  void add(const Row& row);

 private:
  void require_good() const;

  std::string file_;
  Descriptor open_;
  OutputStream out_;
};

}  // namespace ringrun::worker
