#pragma once

#include <gtest/gtest.h>

/// Ends a test that cannot hold in a build with a sanitizer, saying why. In a test's body or SetUp.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RINGRUN_NOT_SANITIZED(why) GTEST_SKIP() << "in a build with a sanitizer: " << why
#else
#define RINGRUN_NOT_SANITIZED(why) static_cast<void>(0)
#endif

namespace ringrun::test {

/// How much longer it takes there to start a process and measure something in it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kSlowdown = 4;
#else
inline constexpr int kSlowdown = 1;
#endif

}  // namespace ringrun::test
