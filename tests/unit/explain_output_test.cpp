#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <set>
#include <string>

#include "lib/explain/catalogue.hpp"
#include "lib/explain/output.hpp"
#include "lib/explain/word_search.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Line {
  std::string id;  ///< "" where nothing is to be said
  std::string text;
  bool fatal = true;
  bool secondary = false;
  std::string evidence;
};

const std::vector<Line>& lines() {
  static const std::vector<Line> all = {
      {"I1",
       "a:9:31 [0] socket.cc:513 NCCL WARN socketStartConnect: connect to 172.17.0.1<43211> failed : Network is "
       "unreachable",
       true, false, "172.17.0.1 port 43211: Network is unreachable"},
      {"C1", "NCCL WARN Net : Connect to 172.17.0.3<54811> failed : Connection refused", true, false,
       "172.17.0.3 port 54811: Connection refused"},
      {"F1",
       "NCCL INFO socketPollConnect: connect to 192.168.1.6<40111> returned No route to host, retrying (3/34) after "
       "sleep",
       false, false, "192.168.1.6 port 40111: No route to host"},
      {"NET", "NCCL WARN socketStartConnect: Connect to 10.1.2.3<40111> failed : Network is unreachable"},
      {"I2", "NCCL WARN socketStartConnect: Connect to 127.0.0.1<40111> failed : Connection refused"},
      {"I5", "NCCL WARN socketStartConnect: Connect to fe80::1%eth1<40111> failed : Connection timed out"},
      {"I1", "NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>", false, false, "docker0 172.17.0.1"},
      {"I2", "NCCL INFO Bootstrap: Using lo:127.0.0.1<0>", false},
      {"", "NCCL INFO Bootstrap : Using eth0:192.168.1.5<0>"},
      {"", "NCCL INFO NET/IB : No device found."},
      {"", "NCCL INFO Legacy IPC not supported"},
      {"", "    1048576    262144     float     sum      -1    123.4    8.50    8.50       0"},
      {"I3", "NCCL WARN Bootstrap : no socket interface found"},
      {"I3", "NCCL WARN No interface found in the same subnet as remote address 10.0.0.1<1>"},
      {"ECHO", "NCCL failure: unhandled system error (run with NCCL_DEBUG=INFO for details)", false, true},
      {"ECHO", "ncclRemoteError: remote process exited or there was a network error", false, true},
      {"ECHO", "NCCL WARN Net : Connection closed by remote peer b<41234>", false, true},
      {"ECHO", "[a:123] PMIX ERROR: UNREACHABLE in file ptl_tcp_component.c at line 1849", false, true},
      {"V7", "NCCL WARN Bootstrap Root : rank 0 of 2 ranks has already checked in"},
      {"V1", "NCCL WARN Mismatched NCCL version detected : rank 0 version 22809 rank 1 version 22105"},
      {"V2", "NCCL WARN NET/Socket : peer 192.168.1.6<1> message truncated : receiving 8 bytes instead of 4"},
      {"", "[a:1] *** MPI_ERR_TRUNCATE: message truncated"},
      {"G1", "NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 4e000"},
      {"G1", "Multiple Ranks are using the same GPU"},
      {"C3", "NCCL WARN Error: failed to extend /dev/shm/nccl-AbCdEf to 9637892 bytes"},
      {"C3", "[b:00012] Signal: Bus error (7)", false, true},
      {"C6", "[b:00012] Read -1, expected 65536, errno = 1"},
      {"C7", "NCCL WARN Call to ibv_reg_mr failed"},
      {"W9", "NCCL WARN Could not find real path of /sys/class/pci_bus/0000:01/../../0000:01:00.0"},
      {"W10", "NCCL WARN Failed to find CUDA library libcuda.so (NCCL_CUDA_PATH='')"},
      {"V5", "CUDA driver version is insufficient for CUDA runtime version"},
      {"G2", "Test CUDA failure common.cu:894 'invalid device ordinal'"},
      {"G3", "CUDA failure: all CUDA-capable devices are busy or unavailable"},
      {"G6", "Failed to initialize NVML: Driver/library version mismatch"},
      {"G7", "NCCL WARN NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129"},
      {"I7", "an attempt was made to connect to it. Open MPI cannot find a corresponding process entry for that peer."},
      {"F1", "[a][[4,1],0][btl_tcp_endpoint.c:625] connect() to 192.168.1.6:1024 failed: Connection refused (111)",
       false, false, "192.168.1.6 port 1024: Connection refused (111)"},
      {"I7", "  Message:    connect() to 172.17.0.1:1024 failed", false, false, "172.17.0.1 port 1024"},
      {"F1", "WARNING: Open MPI failed to TCP connect to a peer MPI process.", false},
      {"NET", "At least one pair of MPI processes are unable to reach each other for"},
      {"I8", "WARNING: Open MPI detected an inbound MPI TCP connection request from a peer", false},
      {"F3", "A process or daemon was unable to complete a TCP connection"},
      {"F3", "An ORTE daemon has unexpectedly failed after launch and before communicating back to mpirun."},
      {"L2", "ORTE was unable to reliably start one or more daemons.", true, true},
      {"L2", "A daemon (pid 71) died unexpectedly with status 127 while attempting"},
      {"L1", "A daemon (pid 71) died unexpectedly with status 255 while attempting"},
      {"L2", "bash: line 1: orted: command not found"},
      {"L5", "There are not enough slots available in the system to satisfy the 4 slots"},
      {"L6", "mpirun has detected an attempt to run as root."},
      {"L1", "The value of the MCA parameter \"plm_rsh_agent\" was set to a path that could not be found:"},
      {"L1", "Host key verification failed."},
      {"L1", "ssh: connect to host 192.168.1.6 port 22: Connection refused"},
      {"L3", "./worker: error while loading shared libraries: libfoo.so.1: cannot open shared object file"},
      {"V9", "./worker: error while loading shared libraries: libnccl.so.2: cannot open shared object file"},
      {"L9", "./worker: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by ./worker)"},
      {"I9", "tcp_ep.c:260 UCX ERROR connect(fd=31, dest_addr=172.17.0.1:41234) failed: Connection refused", true,
       false, "172.17.0.1 port 41234: Connection refused"},
      {"I10", "RuntimeError: Connection reset by peer [gloo] connect timeout, remote=[127.0.0.1]:41234", true, false,
       "127.0.0.1 port 41234"},
      {"F1", "[c10d] The client socket has failed to connect to [192.168.1.5]:29400 (errno: 113 - No route to host).",
       false, false, "192.168.1.5 port 29400: 113 - No route to host"},
      {"F5", "RuntimeError: The server socket has failed to listen on [::]:29400 (errno: 98 - Address already in use).",
       false},
  };
  return all;
}

TEST(Output, LinesMeanWhatTheCatalogueSays) {
  for (const Line& line : lines()) {
    SCOPED_TRACE(line.text);
    const std::optional<OutputMeaning> meaning = explain_line(line.text);
    ASSERT_EQ(meaning.has_value(), !line.id.empty());
    if (!meaning) continue;
    EXPECT_EQ(meaning->finding.id, line.id);
    EXPECT_EQ(meaning->fatal, line.fatal);
    EXPECT_EQ(meaning->secondary, line.secondary);
    EXPECT_THAT(
        meaning->finding.evidence,
        HasSubstr(line.evidence.empty() ? line.text.substr(line.text.find_first_not_of(' '), 40) : line.evidence));
    EXPECT_FALSE(meaning->finding.fix.empty());
    EXPECT_FALSE(meaning->finding.why.empty());
  }
}

TEST(Output, OfATablesHeadMeansNothing) {
  const std::string why = "MPI on host memory, since (a: libnccl.so.2: cannot open shared object file: No such file)";
  EXPECT_EQ(explain_line("# Backend: " + why), std::nullopt);
  EXPECT_EQ(explain_line("[1,0]<stdout>:# Backend: " + why), std::nullopt);
  EXPECT_NE(explain_line("./worker: " + why), std::nullopt);
}

TEST(Output, IsReadInAnyCaseAndInPieces) {
  const std::string text = "noise\nNCCL WARN MISMATCHED NCCL VERSION detected\nmore\n";
  for (std::size_t piece = 1; piece < text.size(); ++piece) {
    OutputReader reader;
    std::size_t meanings = 0;
    for (std::size_t at = 0; at < text.size(); at += piece) meanings += reader.feed(text.substr(at, piece)).size();
    EXPECT_EQ(meanings, 1u);
    EXPECT_TRUE(reader.saw_fatal());
  }
}

TEST(Output, TellsEachMeaningOnce) {
  OutputReader reader;
  EXPECT_THAT(reader.feed("connect to 172.17.0.1<1> failed : Network is unreachable\n"), SizeIs(1));
  EXPECT_THAT(reader.feed("connect to 172.17.0.1<2> failed : Network is unreachable\n"), IsEmpty());
}

TEST(Output, ShowsAnEchoOnlyWhereNothingBetterWasSaid) {
  OutputReader reader;
  reader.feed("unhandled system error\n");
  ASSERT_THAT(reader.findings(), SizeIs(1));
  EXPECT_EQ(reader.findings()[0].id, "ECHO");
  EXPECT_FALSE(reader.saw_fatal());
  reader.feed("Mismatched NCCL version detected\n");
  ASSERT_THAT(reader.findings(), SizeIs(1));
  EXPECT_EQ(reader.findings()[0].id, "V1");
}

TEST(Output, SaysMoreWhereALaterLineOfItsKindIsFatal) {
  OutputReader reader;
  reader.feed("NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>\n");
  EXPECT_FALSE(reader.saw_fatal());
  EXPECT_THAT(reader.feed("connect to 172.17.0.1<1> failed : Network is unreachable\n"), SizeIs(1));
  EXPECT_TRUE(reader.saw_fatal());
  EXPECT_THAT(reader.findings(), SizeIs(1));
}

TEST(Output, OfOneEndlessLineStaysBoundedAndTheNextLineIsRead) {
  OutputReader reader;
  const std::string piece(1 << 16, 'x');
  for (int i = 0; i < 256; ++i) reader.feed(piece);
  EXPECT_THAT(reader.feed("Duplicate GPU detected"), IsEmpty());  // beyond what is kept of the line
  EXPECT_THAT(reader.feed("\nDuplicate GPU detected\n"), SizeIs(1));
}

TEST(Output, OfManyMegabytesIsReadQuickly) {
  std::string text;
  while (text.size() < (std::size_t{16} << 20)) {
    text += "step 1234: loss 0.12345, failed 0, returned 1, connected to the network, error rate 0.001\n";
  }
  OutputReader reader;
  // Time of the processor, not of the wall: other tests run beside this one.
  const std::clock_t begin = std::clock();
  EXPECT_THAT(reader.feed(text), IsEmpty());
  const double spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  RecordProperty("megabytes_a_second", std::to_string(16 / spent));
  EXPECT_LT(spent, 2) << "16 MB; a gigabyte of output must not hold a job up";
}

TEST(Output, KnowsEveryRowThatIsMarkedAsRecognisedInIt) {
  std::set<std::string> known;
  for (const Line& line : lines()) known.insert(line.id);
  for (const CatalogueRow& row : catalogue()) {
    if (row.coverage != Coverage::output) continue;
    EXPECT_EQ(known.count(row.id), 1u) << row.id;
  }
}

TEST(WordSearch, FindsWordsInsideOneAnother) {
  const WordSearch search({"she", "he", "hers", "his"});
  EXPECT_EQ(search.find("uSHErs").to_ulong(), 0b0111u);
  EXPECT_EQ(search.find("this").to_ulong(), 0b1000u);
  EXPECT_EQ(search.find("h e r s").to_ulong(), 0u);
  EXPECT_THROW(WordSearch({""}), std::invalid_argument);
}

}  // namespace
}  // namespace ringrun::test
