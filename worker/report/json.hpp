#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "worker/report/table.hpp"

namespace ringrun::worker {

/// The results in the form of nccl-tests' JSON, schema 3, with typed values (there booleans and the root are texts).
/// What the worker adds stands under "ringrun", of the whole and of each result.
class JsonReport {
 public:
  /// A wrong name of `file` is told now, before the sweep and not after it: throws UserError then.
  JsonReport(const std::string& file, const TableHead& head);
  ~JsonReport();
  JsonReport(const JsonReport&) = delete;
  JsonReport& operator=(const JsonReport&) = delete;
  void add(const Row& row);
  /// Something of the worker's own about the whole.
  void set(const std::string& key, nlohmann::json value);
  /// Writes the file. Throws UserError where that fails, and leaves an older one as it was.
  void write(const SweepSummary& summary, std::optional<double> least_bandwidth,
             const std::vector<std::string>& errors);

 private:
  struct Document;
  std::unique_ptr<Document> document_;
};

}  // namespace ringrun::worker
