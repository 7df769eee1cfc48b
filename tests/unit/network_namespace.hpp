#pragma once

#include <fcntl.h>
#include <sched.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "lib/net/socket_address.hpp"

namespace ringrun::test {

/// Runs `body` in a thread with a network namespace of its own, which ends with it. False, and nothing was run, where
/// this machine gives none.
inline bool in_new_network(const std::function<void()>& body) {
  bool made = false;
  std::thread([&] {
    made = unshare(CLONE_NEWNET) == 0;
    if (made) body();
  }).join();
  return made;
}

/// The calling thread's network namespace, to come back to. Programs that the thread starts inherit it.
inline Socket this_network() { return Socket(open("/proc/thread-self/ns/net", O_RDONLY)); }

inline bool enter_network(const Socket& network) { return setns(network.get(), CLONE_NEWNET) == 0; }

/// One line of a shell, in the calling thread's namespace.
inline bool shell(const std::string& line) { return std::system(("(" + line + ") >/dev/null 2>&1").c_str()) == 0; }

}  // namespace ringrun::test
