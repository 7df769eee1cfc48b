#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/command.hpp"

namespace ringrun::test {

/// Open MPI starts jobs as root where these are set.
inline const std::map<std::string, std::string> kRoot = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                                         {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};

/// The real ringrun to its end.
CommandResult ringrun(std::vector<std::string> words, std::map<std::string, std::string> environment = {});

std::vector<std::string> lines(const std::string& text);

/// Processes whose environment has this mark: everything that a job started, however it was reparented.
std::set<pid_t> marked_processes(const std::string& mark);

/// A process's name, as ps shows it.
std::string program_of(pid_t pid);

template <typename Condition>
bool eventually(Condition&& condition, std::chrono::seconds within = std::chrono::seconds(15)) {
  const auto end = std::chrono::steady_clock::now() + within;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

}  // namespace ringrun::test
