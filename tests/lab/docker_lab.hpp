#pragma once

#include <memory>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {

/// The lab with a docker engine on b.
class DockerLab : public NetworkLab {
 protected:
  static void SetUpTestSuite() {
    NetworkLab::SetUpTestSuite();
    if (missing.empty()) missing = why_no_docker();
    if (missing.empty()) engine_ = std::make_unique<DockerEngine>(*lab, "b");
  }
  static void TearDownTestSuite() {
    engine_.reset();
    NetworkLab::TearDownTestSuite();
  }

  static inline std::unique_ptr<DockerEngine> engine_;
};

}  // namespace ringrun::test
