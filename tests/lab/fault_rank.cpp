// A rank that fails as it is told: fault_rank FAULT first|last|all, or fault_rank deaf, where none does. Once every
// rank is there, the chosen ones fail, the others wait for ever. Each rank leaves two children behind, one of them in a
// session of its own; that one not where it ends with 0, since such a rank's daemon is meant to stay.
//
//   exit3    exit code 3                  segv     SIGSEGV            kill    SIGKILL           abort   SIGABRT
//   mpi7     MPI_Abort with 7             silent   exit code 0 without MPI_Finalize
//   stubborn the chosen ones ignore SIGTERM and never end; rank 0, or where that alone is chosen rank 1, ends with
//            exit code 3
//   deaf     all ignore SIGTERM and wait for ever
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void leave_child(bool own_session) {
  if (fork() != 0) return;
  if (own_session) setsid();
  execlp("sleep", "sleep", "3600", nullptr);
  _exit(127);
}

[[noreturn]] void wait_for_ever() {
  while (true) pause();
}

[[noreturn]] void fail(const std::string& fault) {
  if (fault == "exit3") std::exit(3);
  if (fault == "silent") std::exit(0);
  if (fault == "mpi7") MPI_Abort(MPI_COMM_WORLD, 7);
  if (fault == "segv") raise(SIGSEGV);
  if (fault == "kill") raise(SIGKILL);
  if (fault == "abort") std::abort();
  std::exit(64);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  const std::string fault = argv[1], chosen_ranks = argc > 2 ? argv[2] : "none";
  // Nobody wants the cores of what fails on purpose.
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool chosen =
      chosen_ranks == "all" || (chosen_ranks == "first" && rank == 0) || (chosen_ranks == "last" && rank == size - 1);
  leave_child(false);
  if (fault != "silent" || !chosen) leave_child(true);
  if (fault == "deaf" || (fault == "stubborn" && chosen)) std::signal(SIGTERM, SIG_IGN);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::puts("every rank is there");
  std::fflush(stdout);
  // Nobody fails before that is said.
  MPI_Barrier(MPI_COMM_WORLD);
  if (fault == "stubborn") {
    const int failing = chosen_ranks == "first" ? 1 : 0;
    if (rank == failing) fail("exit3");
    wait_for_ever();
  }
  if (chosen) fail(fault);
  wait_for_ever();
}
