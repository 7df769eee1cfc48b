#pragma once

#include <string>
#include <vector>

#include "worker/backend/backend_choice.hpp"

namespace ringrun::worker {

/// What one rank really has, as text; "" where it has none or nobody says.
struct BindingRow {
  std::string host;
  std::string cpus;
  std::string numa;    ///< the memory nodes of these
  std::string memory;  ///< "prefer 0", "any"
  std::string gpu;     ///< "1 [0000:4e:00.0]", by the number that it has on its host
  std::string nics;    ///< of the interfaces that NCCL takes, those nearest to the GPU
  std::string hcas;
};

/// Of this process: one for each of the devices that it uses, indices into those that it sees; one where it uses none.
/// Asks the system. Throws SystemError.
std::vector<BindingRow> read_binding_rows(const ProcessFacts& own, const std::vector<int>& devices);

std::string to_text(const std::vector<BindingRow>& rows);
std::vector<BindingRow> binding_rows_from(const std::string& text);

/// For the head of the table: every rank in order, without columns in which no rank has anything.
std::vector<std::string> binding_lines(const std::vector<BindingRow>& rows);

/// What the processes did about their placement (ProcessFacts::placement): one line where they all did the same, else
/// one for each kind, naming its ranks. A process has `ranks_of_process` ranks.
std::vector<std::string> placement_lines(const std::vector<ProcessFacts>& facts, int ranks_of_process);

}  // namespace ringrun::worker
