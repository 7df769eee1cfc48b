#include "launcher/engine/mpirun.hpp"

#include <gtest/gtest.h>

#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

TEST(Mpirun, IsToldByItsVersion) {
  EXPECT_EQ(parse_mpirun_version("/m", "mpirun (Open MPI) 4.1.4\n\nReport bugs to\n").kind, EngineKind::openmpi4);
  EXPECT_EQ(parse_mpirun_version("/m", "mpirun (Open MPI) 5.0.7\n").version, "5.0.7");
  EXPECT_EQ(problem_of([] { parse_mpirun_version("/m", "HYDRA build details:\n"); }),
            "/m is MPICH's mpirun; ringrun needs Open MPI's");
  EXPECT_EQ(problem_of([] { parse_mpirun_version("/m", ""); }),
            "/m is not Open MPI's mpirun; ringrun needs Open MPI's");
}

}  // namespace
}  // namespace ringrun
