#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace ringrun {

/// What the wrapper sets for each rank anew: one value for all of them would be wrong.
inline constexpr std::array kRankVariables = {"RANK",       "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE",
                                              "GROUP_RANK", "NODE_RANK"};

/// What a shell searches where PATH is unset.
inline constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

/// Environment variables by name.
using Environment = std::map<std::string, std::string>;

/// This process's own.
Environment read_environment();

std::optional<std::string> find_variable(const Environment& environment, const std::string& name);

/// The first executable file of this name on the PATH of `environment`, absolute; a name with a slash is itself.
/// Files of which `is_skipped` is true are passed over.
std::optional<std::string> find_on_path(const Environment& environment, const std::string& name,
                                        const std::function<bool(const std::string&)>& is_skipped = nullptr);

/// Absolute path of this running program.
std::string own_executable();

}  // namespace ringrun
