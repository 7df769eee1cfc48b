#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace ringrun {

/// The numeric addresses of a name, all of them; may take as long as it likes.
using AddressLookup = std::function<std::vector<std::string>(const std::string&)>;

/// What `lookup` finds for each name, side by side in threads. A name that has no answer at the deadline has none; its
/// thread is left to itself.
std::vector<std::vector<std::string>> look_up(const std::vector<std::string>& names, const AddressLookup& lookup,
                                              std::chrono::milliseconds deadline);

/// By the system's resolver, which this thread lets ask a silent server once, for two seconds, unless RES_OPTIONS says
/// otherwise.
std::vector<std::string> ask_resolver(const std::string& name);

/// The addresses of a name that is an address itself.
std::vector<std::string> read_numeric(const std::string& name);

/// The addresses that a file like /etc/hosts gives to a name.
std::vector<std::string> read_hosts_file(const std::string& path, const std::string& name);

}  // namespace ringrun
