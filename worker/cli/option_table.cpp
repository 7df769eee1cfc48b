#include "worker/cli/option_table.hpp"

#include <string>

namespace ringrun::worker {

cxxopts::Options option_table() {
  cxxopts::Options table("worker",
                         "Sweep of a collective operation over GPUs (NCCL) or host memory (MPI). One process per GPU, "
                         "started by ringrun, mpirun or srun.\n");
  const auto text = [](const char* preset) { return cxxopts::value<std::string>()->default_value(preset); };
  table.add_options("Size")("b,minbytes", "smallest size; K, M, G are powers of 1024", text("32M"), "SIZE")(
      "e,maxbytes", "largest size", text("32M"), "SIZE")("i,stepbytes", "step between sizes", text("1M"), "SIZE")(
      "f,stepfactor", "factor between sizes, instead of a step", text("1"), "N");
  table.add_options("Operation")(
      "collective",
      "all_reduce, all_gather, reduce_scatter, broadcast, reduce, alltoall, alltoallv, gather, scatter, sendrecv or "
      "hypercube; where it is not given, the name that the program is called by (all_gather_perf), else all_reduce",
      text(""), "NAME")("o,op", "sum, prod, min, max, avg, mulsum, or all", text("sum"), "OP")(
      "d,datatype", "int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16, f8e4m3, f8e5m2, or all",
      text("float"),
      "TYPE")("r,root", "root of a broadcast, reduce, gather or scatter; all (or -1): each in turn", text("0"), "RANK");
  table.add_options("Measurement")("n,iters", "timed iterations of each size", text("20"), "N")(
      "w,warmup_iters", "operations before the first size", text("1"), "N")(
      "m,agg_iters", "operations of an iteration, in one group", text("1"), "N")(
      "c,check", "checks of each size; 0: none; timed: one, and of the timed operations' results too", text("1"),
      "N|timed")("a,average", "time over the ranks: 0 rank 0, 1 average, 2 min, 3 max", text("1"), "0..3")(
      "N,run_cycles", "runs of the whole sweep; 0: until stopped", text("1"), "N")(
      "z,blocking",
      "wait after each operation: 1 with a barrier, 2 without; 3: after each iteration with all its operations",
      text("0"), "0..3")("G,cudagraph", "capture the iterations as a CUDA graph and launch it so many times", text("0"),
                         "N")("I,per_iter_timing", "take the time of every iteration too, and show its spread",
                              text("0"), "0|1")("K,per_iter_skip", "with -I: leave the first ones out", text("0"), "N")(
      "soak",
      "instead of the sweep, check operations of random sizes (from -b, here 8 where it is not given, to -e) at random "
      "places for so long: 90s, 10m, 2h",
      text(""), "TIME")("scan",
                        "instead of the sweep, the largest size between all pairs of hosts (pairs, or pairs:hosts) or "
                        "ranks (pairs:ranks), or over all hosts but each in turn (leave-one-out); names what is slow",
                        text(""), "WHAT")(
      "expected",
      "show how much of what its path can carry each result reaches, and by which algorithm, protocol and channels")(
      "stats",
      "add iterations until the median is known within 2 % (up to 2000, or 2 s); show their spread, each rank's times, "
      "and which rank the others wait for")("u,unalign", "begin each buffer so many elements late", text("0"), "N");
  table.add_options("Measurement")("tune",
                                   "instead of the sweep, try settings of NCCL's sockets or InfiniBand for so long "
                                   "(60s), each in fresh processes, and "
                                   "print those that win for small, middle and large messages beyond noise",
                                   cxxopts::value<std::string>()->default_value("")->implicit_value("60s"), "TIME");
  table.add_options("Placement")("backend",
                                 "auto, nccl or mpi; auto: NCCL where every process has a GPU, MPI where none has",
                                 text("auto"), "NAME")("t,nthreads", "threads of each process", text("1"), "N")(
      "g,ngpus", "GPUs of each thread", text("1"), "N")("p,parallel_init", "1: every thread joins NCCL by itself",
                                                        text("0"), "0|1")(
      "share-gpu", "allow several ranks on one GPU: each becomes a host of its own to NCCL (socket path)")(
      "report-bindings", "say what each rank really has: CPUs, memory, GPU and the network cards near it");
  table.add_options("NCCL")("R,local_register", "register the buffers: 1 with the communicator, 2 as symmetric windows",
                            text("0"), "0..2")("x,ctaPolicy", "CTA policy: 0 default, 1 efficiency, 2 zero", text("0"),
                                               "0..2")("y,stream_null", "use CUDA's null stream", text("0"), "0|1")(
      "D,device_implementation", "nccl-tests' own kernels, which are not here: only 0", text("0"), "N")(
      "V,device_cta_count", "CTAs of such a kernel", text("16"), "N");
  table.add_options("Output")(
      "T,timeout",
      "seconds for any one wait, beyond what the data itself takes; then the job ends with exit code 4. 0: for ever. "
      "init=30,op=60: until the first operation, and from there on",
      text("60"), "SECONDS")("J,output_file", "results as JSON", text(""), "FILE")(
      "csv", "results as comma-separated values, written as they are measured", text(""), "FILE")(
      "baseline",
      "compare the times with an earlier JSON, of the worker or of nccl-tests; exit code 7 where one is "
      "slower beyond --max-regression and noise",
      text(""), "FILE")("max-regression", "how much slower is allowed", text("5%"), "PERCENT")(
      "C,report_cputime", "show the time of enqueuing instead of that of the operation", text("0"), "0|1")(
      "S,report_timestamps", "show when each row was measured", text("0"), "0|1")(
      "M,memory", "show what memory was taken", text("0"), "0|1")("version", "print the version")("h,help",
                                                                                                  "print this help");
  table.custom_help("[options]");
  return table;
}

}  // namespace ringrun::worker
