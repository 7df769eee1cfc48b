// The NCCL backend of a host without GPUs, for the tuning's own processes: it moves no data, and its times follow from
// the environment. STAND_IN_WAY: what its log says of the ways between ranks (NET/Socket/0). STAND_IN_FAULT: what rank
// 1 does where NCCL_SOCKET_NTHREADS is 4: hang, die, garbage or throw. STAND_IN_PIDS: a file that gets the hanging
// process's pid.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include "lib/nccl/error.hpp"
#include "worker/backend/gpu_backend.hpp"
#include "worker/tune/trial_process.hpp"

namespace ringrun::worker {
namespace {

std::string variable(const char* name, const char* preset = "") {
  const char* value = std::getenv(name);
  return value == nullptr ? preset : value;
}

void fail_as_asked() {
  const std::string fault = variable("STAND_IN_FAULT");
  if (variable("NCCL_SOCKET_NTHREADS") != "4") return;
  if (fault == "hang") {
    std::ofstream(variable("STAND_IN_PIDS", "/dev/null")) << getpid();
    for (;;) pause();
  }
  if (fault == "die") std::abort();
  if (fault == "garbage" && write(kTrialDescriptor, "{]\n", 3) != 3) std::abort();
  if (fault == "throw") {
    std::puts("host:1:1 [0] socket.cc:1 NCCL WARN no such thing");
    throw CudaError("a call", "an error of its own", 1);
  }
}

class StandInCollective : public Collective {
 public:
  explicit StandInCollective(int ranks) : ranks_(ranks), generator_(std::random_device()()) {
    process_factor_ = noise();
  }

  int ranks() const override { return ranks_; }
  std::optional<std::string> refusal(const Operation&) const override { return std::nullopt; }
  std::vector<WrongElements> verify(const Operation&, std::uint32_t) override { return {}; }
  MemoryReport memory() const override { return {}; }
  void finish() override {}

  /// Helper threads make large messages faster and small ones slower.
  RunTimes run(const Operation& operation, const RunPlan& plan) override {
    const bool helped = !variable("NCCL_SOCKET_NTHREADS").empty();
    const double latency = helped ? 40e-6 : 30e-6;
    const double bandwidth = helped ? 7.5e9 : 3e9;
    const double one = latency + static_cast<double>(operation.bytes()) / bandwidth;
    RunTimes times;
    times.total.push_back(one * plan.iterations * process_factor_ * noise());
    return times;
  }

 private:
  double noise() { return std::exp(0.02 * normal_(generator_)); }

  int ranks_;
  std::mt19937 generator_;
  std::normal_distribution<double> normal_;
  double process_factor_ = 1;
};

class StandInBackend : public GpuBackend {
 public:
  int header_version() const override { return 22809; }
  int library_version() const override { return 22809; }

  std::vector<GpuDevice> visible_devices() const override {
    std::vector<GpuDevice> devices;
    for (int i = 0; i < 4; ++i)
      devices.push_back({i, "GPU-" + std::to_string(i), "0000:0" + std::to_string(i) + ":00", "stand-in"});
    return devices;
  }

  void listen() const override {}

  std::string make_unique_id() const override { return std::string(128, 'i'); }

  std::unique_ptr<Collective> join(const std::string& id, const Placement& placement, const Settings&) const override {
    if (id != make_unique_id()) throw CudaError("join", "another id", 1);
    std::printf("host:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via %s\n",
                variable("STAND_IN_WAY", "NET/Socket/0").c_str());
    if (placement.first_rank == 1) fail_as_asked();
    return std::make_unique<StandInCollective>(placement.ranks);
  }
};

}  // namespace
}  // namespace ringrun::worker

extern "C" const ringrun::worker::GpuBackend* ringrun_gpu_backend() {
  static const ringrun::worker::StandInBackend backend;
  return &backend;
}
