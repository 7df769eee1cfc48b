#include "lib/explain/output_patterns.hpp"

namespace ringrun {

const std::vector<OutputPattern>& output_patterns() {
  constexpr bool fatal = true;
  constexpr bool secondary = true;
  static const std::vector<OutputPattern> patterns = {
      // NCCL.
      {"F1", {"connect to ", "> failed"}, fatal, false, LineKind::nccl_connect},
      {"F1", {"connect to ", "> returned"}, fatal, false, LineKind::nccl_connect},
      {"I1", {"bootstrap", "using ", "<"}, false, false, LineKind::chosen_interface},
      {"I3", {"no socket interface found"}, fatal},
      {"I3", {"no interface found in the same subnet"}, fatal},
      {"I3", {"no usable listening interface"}, fatal},
      {"V1", {"mismatched nccl version"}, fatal},
      {"V2", {"message truncated"}, fatal, false, LineKind::plain, "mpi_err_truncate"},
      {"V7", {"ranks has already checked in"}, fatal},
      {"V7", {"invalid rank requested"}, fatal},
      {"G1", {"duplicate gpu detected"}, fatal},
      {"G1", {"multiple ranks are using the same gpu"}, fatal},
      {"C3", {"/dev/shm/nccl", "failed"}, fatal},
      {"C3", {"/dev/shm/nccl", "no space left"}, fatal},
      {"C3", {"error while creating shared memory segment"}, fatal},
      {"C4", {"cumem host", "fail"}, fatal},
      {"C7", {"ibv_reg_mr failed"}, fatal},
      {"C7", {"ibv_reg_mr", "cannot allocate memory"}, fatal},
      {"G7", {"completion with error 12"}, fatal},
      {"W9", {"real path of /sys/class/pci_bus"}, fatal},
      {"W10", {"failed to find cuda library"}, fatal},
      // CUDA and its driver.
      {"V5", {"cuda driver version is insufficient"}, fatal},
      {"G2", {"invalid device ordinal"}, fatal},
      {"G3", {"busy or unavailable", "cuda"}, fatal},
      {"G6", {"driver/library version mismatch"}, fatal},
      {"C8", {"nvml", "unknown error"}, fatal},
      // Open MPI.
      {"I7", {"cannot find a corresponding process entry"}, fatal},
      {"I8", {"detected an inbound mpi tcp connection"}, false},
      {"NET", {"unable to reach each other"}, fatal},
      {"F1", {"connect() to ", " failed"}, false, false, LineKind::open_mpi_connect},
      {"F1", {"failed to tcp connect to a peer"}, false},
      {"F3", {"unable to complete a tcp connection"}, fatal},
      {"F3", {"daemon has unexpectedly failed"}, fatal},
      {"L2", {"unexpectedly with status 127"}, fatal},
      {"L1", {"unexpectedly with status 255"}, fatal},
      {"L1", {"plm_rsh_agent", "not"}, fatal},
      {"L1", {"plm_ssh_agent", "not"}, fatal},
      {"L2", {"unable to reliably start one or more daemons"}, fatal, secondary},
      {"L2", {"orted", "not found"}, fatal},
      {"L2", {"prted", "not found"}, fatal},
      {"L2", {"orted", "no such file"}, fatal},
      {"L2", {"prted", "no such file"}, fatal},
      {"L5", {"not enough slots"}, fatal},
      {"L5", {"nodes which are allocated for this job are already filled"}, fatal},
      {"L6", {"attempt to run as root"}, fatal},
      {"L6", {"recommended to run", "as root", "mpirun"}, fatal},
      {"V6", {"mismatch in versions between two processes"}, fatal},
      {"V6", {"version mismatch", "daemon"}, fatal},
      {"C5", {"set_mempolicy", "not permitted"}, false},
      {"C6", {"read -1, expected", "errno = 1"}, fatal},
      {"I9", {"dest_addr=", "failed"}, fatal, false, LineKind::ucx_connect},
      {"I9", {"dest_addr=", "refused"}, fatal, false, LineKind::ucx_connect},
      // Gloo, PyTorch.
      {"I10", {"remote=[127."}, fatal, false, LineKind::gloo_connect},
      {"F1", {"client socket has failed to connect to"}, false, false, LineKind::torch_connect},
      // Programs try the next port, and NCCL, Gloo and MPI do so themselves.
      {"F5", {"address already in use"}, false},
      // The remote shell and the loader.
      {"L1", {"host key verification failed"}, fatal},
      {"L1", {"remote host identification has changed"}, fatal},
      {"L1", {"permission denied (publickey"}, fatal},
      {"L1", {"could not resolve hostname"}, fatal},
      {"L1", {"ssh: connect to host"}, fatal},
      {"V9", {"error while loading shared libraries", "libnccl"}, fatal},
      {"V9", {"libnccl.so", "cannot open shared object file"}, fatal},
      {"L3", {"error while loading shared libraries"}, fatal},
      {"L9", {"version `glibc", "not found"}, fatal},
      {"L9", {"version 'glibc", "not found"}, fatal},
      {"L10", {"btl_tcp_if_include", "btl_tcp_if_exclude"}, fatal},
      // Echoes of what failed before them.
      {"C3", {"bus error"}, false, secondary},
      {"ECHO", {"unhandled system error"}, false, secondary},
      {"ECHO", {"remote process exited or there was a network error"}, false, secondary},
      {"ECHO", {"connection closed by remote peer"}, false, secondary},
      {"ECHO", {"pmix error", "unreachable"}, false, secondary},
  };
  return patterns;
}

}  // namespace ringrun
