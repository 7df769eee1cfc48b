#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "lib/error.hpp"
#include "lib/explain/situation.hpp"

namespace ringrun {

inline constexpr int kMostInt = std::numeric_limits<int>::max();

/// The value of `option` as a whole number. Throws UserError.
int whole_number(const std::string& option, const std::string& text, int least, int most = kMostInt);

/// "HOST=INTERFACE". Throws UserError.
std::pair<std::string, std::string> host_and_interface(const std::string& text);

/// "FIRST-LAST". Throws UserError.
PortRange port_range(const std::string& text);

/// Sets what may be said once, or again with the same value. Throws UserError.
template <typename Value>
void set_once(const std::string& option, std::optional<Value>& target, Value value) {
  if (target && *target != value) throw UserError(option + " is given more than once", "leave one of them");
  target = std::move(value);
}

}  // namespace ringrun
