#pragma once

#include <functional>
#include <string>

#include "launcher/environment.hpp"

namespace ringrun {

/// The plan travels in this variable, and where it is longer than the kernel lets one be, in further ones of this name
/// with a number behind it: RINGRUN_PLAN_2, …
inline constexpr const char* kPlanVariable = "RINGRUN_PLAN";

Environment plan_variables(const std::string& plan);

bool is_plan_variable(const std::string& name);

/// The plan of variables, "" where there is none. `variable` is nullptr for one that is not set.
std::string read_plan_variables(const std::function<const char*(const char*)>& variable);

}  // namespace ringrun
