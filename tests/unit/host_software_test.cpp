#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "lib/host/configuration_facts.hpp"
#include "lib/host/nccl_library.hpp"
#include "lib/host/software_facts.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

fs::path host(const std::string& name) { return fs::path(RINGRUN_SOURCE_DIR) / "tests/unit/fixtures/host" / name; }

const Environment kUser{{"PATH", "/usr/local/bin:/usr/bin"}, {"HOME", "/home/u"}};
const Environment kOpenMpi5{{"PATH", "/opt/openmpi/bin:/usr/bin"}};

TEST(SoftwareFacts, NameTheOpenMpiOfADistribution) {
  const SoftwareFacts facts = read_software_facts({}, kUser, host("ubuntu"));
  EXPECT_EQ(facts.open_mpi, "4.1.6");
  EXPECT_EQ(facts.open_mpi_path, "/usr/bin/orted");
  EXPECT_TRUE(facts.ucx);
}

TEST(SoftwareFacts, NameAnOpenMpi5InItsOwnFolder) {
  const SoftwareFacts facts = read_software_facts({}, kOpenMpi5, host("openmpi5"));
  EXPECT_EQ(facts.open_mpi, "5.0.7");
  EXPECT_EQ(facts.open_mpi_path, "/opt/openmpi/bin/prted");
  EXPECT_FALSE(facts.ucx);
}

TEST(SoftwareFacts, AreEmptyWhereThePathHasNoOpenMpi) {
  const SoftwareFacts facts = read_software_facts({}, {{"PATH", "/bin"}}, host("ubuntu"));
  EXPECT_EQ(facts.open_mpi, "");
  EXPECT_EQ(facts.open_mpi_path, "");
  EXPECT_FALSE(facts.ucx);
}

TEST(SoftwareFacts, NameNcclThatTheLoaderDoesNotFind) {
  const SoftwareFacts facts = read_software_facts({}, kOpenMpi5, host("openmpi5"));
  EXPECT_EQ(facts.nccl_path, "/usr/local/cuda/lib64/libnccl.so.2");
  EXPECT_EQ(facts.nccl, "2.19.3");
  EXPECT_NE(facts.nccl_why_not, "");
  const SoftwareFacts none = read_software_facts({}, kUser, host("ubuntu"));
  EXPECT_EQ(none.nccl_path, "");
  EXPECT_EQ(none.nccl, "");
  EXPECT_NE(none.nccl_why_not, "");
}

TEST(NcclVersion, IsReadFromNamesAndNumbers) {
  EXPECT_EQ(nccl_version_of_name("libnccl.so.2.28.9"), "2.28.9");
  EXPECT_EQ(nccl_version_of_name("libnccl.so.2"), "");
  EXPECT_EQ(nccl_version_of_name("libnccl-net.so.2.1.0"), "");
  EXPECT_EQ(nccl_version_of_number(22809), "2.28.9");
  EXPECT_EQ(nccl_version_of_number(21903), "2.19.3");
  EXPECT_EQ(nccl_version_of_number(2708), "2.7.8");
}

TEST(ConfigurationFacts, HoldTheVariablesThatSteerCommunicationAlone) {
  Environment environment = kUser;
  for (const char* name : {"NCCL_DEBUG", "UCX_TLS", "GLOO_SOCKET_IFNAME", "OMPI_MCA_plm", "PRTE_MCA_x", "PMIX_MCA_y"})
    environment[name] = "1";
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "SECRET", "MY_NCCL_DEBUG"}) environment[name] = "1";
  EXPECT_THAT(read_configuration_facts(environment, "b", host("ubuntu")).environment,
              UnorderedElementsAre(Pair("NCCL_DEBUG", "1"), Pair("UCX_TLS", "1"), Pair("GLOO_SOCKET_IFNAME", "1"),
                                   Pair("OMPI_MCA_plm", "1"), Pair("PRTE_MCA_x", "1"), Pair("PMIX_MCA_y", "1")));
}

TEST(ConfigurationFacts, HoldNcclsFilesAsNcclReadsThem) {
  EXPECT_THAT(read_configuration_facts(kUser, "c", host("docker")).nccl_files,
              ElementsAre(Pair("/etc/nccl.conf",
                               ElementsAre(Pair("NCCL_DEBUG", "INFO"), Pair("NCCL_SOCKET_IFNAME", "^docker0")))));
  EXPECT_THAT(read_configuration_facts(kUser, "b", host("ubuntu")).nccl_files,
              ElementsAre(Pair("~/.nccl.conf", ElementsAre(Pair("NCCL_IB_DISABLE", "1")))));
}

TEST(ConfigurationFacts, HoldTheParameterFilesOfTheInstallationAndTheUser) {
  EXPECT_THAT(
      read_configuration_facts(kUser, "b", host("ubuntu")).mca_files,
      ElementsAre(Pair("/etc/openmpi/openmpi-mca-params.conf",
                       ElementsAre(Pair("btl_tcp_if_exclude", "127.0.0.1/8,docker0"), Pair("pml", "^ucx"))),
                  Pair("~/.openmpi/mca-params.conf", ElementsAre(Pair("btl_tcp_if_include", "192.168.1.0/24")))));
  EXPECT_THAT(read_configuration_facts(kOpenMpi5, "b", host("openmpi5")).mca_files,
              ElementsAre(Pair("/opt/openmpi/etc/openmpi-mca-params.conf", ElementsAre(Pair("btl", "^openib"))),
                          Pair("/opt/openmpi/etc/prte-mca-params.conf", ElementsAre(Pair("prte_if_include", "eth0")))));
  EXPECT_THAT(read_configuration_facts(kUser, "c", host("docker")).mca_files, IsEmpty());
}

TEST(ConfigurationFacts, TellWhereTheHostsOwnNameLeads) {
  EXPECT_EQ(read_configuration_facts(kUser, "a", host("wsl2_nat")).hostname_address, "127.0.1.1");
  EXPECT_EQ(read_configuration_facts(kUser, "b", host("ubuntu")).hostname_address, "192.168.1.6");
  EXPECT_EQ(read_configuration_facts(kUser, "wired", host("ubuntu")).hostname_address, "");
}

TEST(ResolvedAddress, IsTheResolversOwn) {
  EXPECT_EQ(resolved_address("127.0.0.7", std::chrono::seconds(5)), "127.0.0.7");
  EXPECT_EQ(resolved_address("no such name", std::chrono::seconds(5)), "");
}

}  // namespace
}  // namespace ringrun
