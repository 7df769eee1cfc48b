#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

/// Ends a test that this machine cannot run, saying what it lacks: skipped on a person's machine, failed under CI=true,
/// where nothing may be lacking. In a test's body or SetUp.
#define RINGRUN_CANNOT_RUN(what)                                           \
  do {                                                                     \
    const char* ci_ = std::getenv("CI");                                   \
    if (ci_ != nullptr && std::string_view(ci_) == "true") FAIL() << what; \
    GTEST_SKIP() << what;                                                  \
  } while (false)
