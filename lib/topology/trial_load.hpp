#pragma once

#include <functional>

namespace ringrun {

/// Whether `load` returns or throws when it runs in a process of its own, which says nothing and has 30 seconds. False
/// where it crashes or hangs there, as hwloc 2.9 does with some damaged files. Throws SystemError where there is no
/// such process to be had.
bool comes_to_its_end(const std::function<void()>& load);

}  // namespace ringrun
