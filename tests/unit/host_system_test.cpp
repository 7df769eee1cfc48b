#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "lib/host/brief_command.hpp"
#include "lib/host/fabric_facts.hpp"
#include "lib/host/limit_facts.hpp"
#include "lib/host/system_facts.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

fs::path host(const std::string& name) { return fs::path(RINGRUN_SOURCE_DIR) / "tests/unit/fixtures/host" / name; }

TEST(SystemFacts, OfWsl2BehindNat) {
  const SystemFacts facts = read_system_facts(host("wsl2_nat"));
  EXPECT_TRUE(facts.wsl);
  EXPECT_EQ(facts.wsl_networking, "nat");
  EXPECT_TRUE(facts.wsl_gpu_device);
  EXPECT_TRUE(facts.wsl_cuda_library);
  EXPECT_FALSE(facts.systemd);
  EXPECT_THAT(facts.container_marks, IsEmpty());
  EXPECT_EQ(facts.distribution, "Ubuntu 22.04");
  EXPECT_EQ(facts.kernel, "5.15.167.4-microsoft-standard-WSL2");
}

TEST(SystemFacts, OfMirroredWsl2WithoutWslinfo) {
  const SystemFacts facts = read_system_facts(host("wsl2_mirrored"));
  EXPECT_TRUE(facts.wsl);
  EXPECT_EQ(facts.wsl_networking, "mirrored");
}

TEST(SystemFacts, OfADockerContainer) {
  const SystemFacts facts = read_system_facts(host("docker"));
  EXPECT_FALSE(facts.wsl);
  EXPECT_EQ(facts.wsl_networking, "");
  EXPECT_THAT(facts.container_marks,
              ElementsAre("/.dockerenv", "cgroup docker/4c0e7f31b9a84ad2a7a1c1cdd0f6a0b3f3f1b8d16…"));
  EXPECT_EQ(facts.boot_id, "0c3b0a52-5f6a-4a35-8f3e-0d1f7b8e9a10");
  EXPECT_EQ(facts.distribution, "Debian GNU/Linux 12");
}

TEST(SystemFacts, OfAVirtualMachineWhoseImageWasMadeInAContainer) {
  EXPECT_THAT(read_system_facts(host("virtual_machine")).container_marks, testing::IsEmpty());
}

TEST(SystemFacts, OfAPodmanContainer) {
  const SystemFacts facts = read_system_facts(host("podman"));
  EXPECT_THAT(facts.container_marks, ElementsAre("/run/.containerenv", "/run/systemd/container podman"));
  EXPECT_EQ(facts.distribution, "Fedora Linux 40");
}

TEST(SystemFacts, OfAPlainHost) {
  const SystemFacts facts = read_system_facts(host("ubuntu"));
  EXPECT_FALSE(facts.wsl);
  EXPECT_TRUE(facts.network_manager);
  EXPECT_TRUE(facts.systemd);
  EXPECT_THAT(facts.container_marks, IsEmpty());
  EXPECT_FALSE(read_system_facts(host("docker")).network_manager);
}

TEST(LimitFacts, ComeFromTheKernelsFiles) {
  const LimitFacts facts = read_limit_facts(host("ubuntu"));
  EXPECT_EQ(facts.local_port_first, 1024);
  EXPECT_EQ(facts.local_port_last, 65000);
  EXPECT_GT(facts.shm_bytes, 0);
  EXPECT_TRUE(facts.process_vm_calls) << "Open MPI lifts Yama's scope 1 for its own siblings";
}

TEST(LimitFacts, SayThatAProcessMayNotReadItsSibling) {
  // A process that forbids it stands for a container that does; the capability would override both.
  const auto allowed_where = [](int dumpable) {
    const pid_t child = fork();
    if (child == 0) {
      if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) _exit(2);
      prctl(PR_SET_DUMPABLE, dumpable);
      _exit(read_limit_facts(host("docker"), true).process_vm_calls ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(allowed_where(0), 0);
  std::string scope = "0";
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  if (scope == "0" && read_limit_facts("/", true).process_vm_calls) {
    EXPECT_EQ(allowed_where(1), 1);
  }
}

// Ranks of Open MPI let their siblings read them.
TEST(LimitFacts, OfStockUbuntusScopeAllowWhatThisMachineAllows) {
  const fs::path root = fs::temp_directory_path() / ("ringrun-yama-" + std::to_string(getpid()));
  fs::create_directories(root / "proc/sys/kernel/yama");
  const auto allowed_at = [&](const char* scope) {
    std::ofstream(root / "proc/sys/kernel/yama/ptrace_scope") << scope << '\n';
    return read_limit_facts(root).process_vm_calls;
  };
  EXPECT_EQ(allowed_at("1"), allowed_at("0"));
  EXPECT_FALSE(allowed_at("2"));
  EXPECT_FALSE(allowed_at("3"));
  fs::remove_all(root);
}

TEST(LimitFacts, OfAHostWithoutSharedMemoryAreUnknown) {
  const LimitFacts facts = read_limit_facts(host("docker"));
  EXPECT_EQ(facts.shm_bytes, -1);
  EXPECT_EQ(facts.shm_free_bytes, -1);
  EXPECT_EQ(facts.local_port_first, 0);
}

TEST(FabricFacts, TellInfinibandRoceAndPortsThatAreDownApart) {
  const FabricFacts facts = read_fabric_facts(host("infiniband"));
  EXPECT_THAT(facts.infiniband, ElementsAre(InfinibandDevice{"mlx5_0", true, false, true, 400, "0000:4e:00.0"},
                                            InfinibandDevice{"mlx5_1", true, true, true, 100, "0000:4f:00.0"},
                                            InfinibandDevice{"mlx5_2", false, true, false, 40, "0000:50:00.0"}));
  EXPECT_TRUE(facts.peermem);
  EXPECT_EQ(read_fabric_facts(host("ubuntu")), FabricFacts{});
}

TEST(FabricFacts, NameThePortThatIsActive) {
  const fs::path root = fs::temp_directory_path() / ("ringrun-fabric-" + std::to_string(getpid()));
  for (const char* port : {"1", "2"}) {
    const fs::path folder = root / "sys/class/infiniband/mlx5_0/ports" / port;
    fs::create_directories(folder);
    std::ofstream(folder / "state") << (*port == '2' ? "4: ACTIVE\n" : "1: DOWN\n");
  }
  const FabricFacts facts = read_fabric_facts(root);
  fs::remove_all(root);
  ASSERT_EQ(facts.infiniband.size(), 1u);
  EXPECT_TRUE(facts.infiniband[0].active);
  EXPECT_EQ(facts.infiniband[0].port, 2);
}

TEST(BriefCommand, GivesTheOutputOfWhatSucceeds) {
  EXPECT_EQ(output_of({"/bin/sh", "-c", "echo yes; cat; echo no >&2"}, std::chrono::seconds(5)), "yes\n");
  EXPECT_EQ(output_of({"/bin/sh", "-c", "echo yes; exit 1"}, std::chrono::seconds(5)), "");
  EXPECT_EQ(output_of({"/nowhere/x"}, std::chrono::seconds(5)), "");
}

TEST(BriefCommand, IsEndedAtItsDeadline) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(output_of({"/bin/sleep", "20"}, std::chrono::milliseconds(50)), "");
  EXPECT_EQ(output_of({"/bin/sh", "-c", "exec >&-; exec /bin/sleep 20"}, std::chrono::milliseconds(50)), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace ringrun
