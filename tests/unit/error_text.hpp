#pragma once

#include <string>

#include "lib/error.hpp"

namespace ringrun {

/// "problem | remedy" of the UserError that `action` throws, "" where it throws none.
template <typename Action>
std::string error_text(Action&& action) {
  try {
    action();
  } catch (const UserError& error) {
    return std::string(error.what()) + " | " + error.remedy();
  }
  return {};
}

/// The problem alone.
template <typename Action>
std::string problem_of(Action&& action) {
  const std::string text = error_text(action);
  return text.substr(0, text.find(" | "));
}

}  // namespace ringrun
