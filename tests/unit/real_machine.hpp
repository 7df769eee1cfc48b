#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "lib/topology/hwloc_reader.hpp"

namespace ringrun {

/// Machines of other projects' collections, which lie beside the repository where they are at all.
inline std::optional<Machine> real_machine(const std::string& name) {
  const auto path = std::filesystem::path(RINGRUN_TOPOLOGIES) / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return read_machine_xml(path.string());
}

}  // namespace ringrun

/// Declares `machine`, or skips the test.
#define REAL_MACHINE(machine, name)                                                                  \
  const std::optional<Machine> machine##_found = real_machine(name);                                 \
  if (!machine##_found) GTEST_SKIP() << RINGRUN_TOPOLOGIES "/" << name << " is not on this machine"; \
  const Machine& machine = *machine##_found
