#include "worker/tune/trial_child.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <numeric>
#include <optional>
#include <string>

#include "worker/backend/gpu_library.hpp"
#include "worker/exit_code.hpp"
#include "worker/tune/trial.hpp"
#include "worker/tune/trial_process.hpp"

namespace ringrun::worker {
namespace {

/// Nothing: the line is closed.
std::optional<std::string> read_line() {
  std::string line;
  char byte = 0;
  for (;;) {
    const ssize_t count = read(kTrialDescriptor, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    if (byte == '\n') return line;
    line += byte;
  }
}

void answer(const TrialAnswer& given) {
  const std::string line = to_text(given) + '\n';
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t sent = send(kTrialDescriptor, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    done += static_cast<std::size_t>(sent);
  }
}

/// The middle one of three measurements, so that one interruption does not count.
double measure(Collective& collective, const Operation& operation, int iterations) {
  // Connections are made by the first operation of each algorithm and protocol.
  RunPlan warm_up;
  warm_up.iterations = std::max(1, iterations / 10);
  collective.run(operation, warm_up);
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i) {
    RunPlan plan;
    plan.iterations = iterations;
    const std::vector<double> threads = collective.run(operation, plan).total;
    const double all = std::accumulate(threads.begin(), threads.end(), 0.0);
    seconds.push_back(all / static_cast<double>(threads.size()) / iterations);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[1];
}

std::vector<double> measure_all(const TrialTask& task, Collective& collective) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < task.sizes.size(); ++i)
    seconds.push_back(measure(collective, operation_of(task.operation, task.sizes[i]), task.iterations.at(i)));
  return seconds;
}

void work() {
  const auto text = read_line();
  if (!text) return;
  const TrialTask task = trial_task_from(*text);
  // It ended before the kernel was told to tell us.
  if (getppid() != task.parent) return;
  const GpuLibrary library = load_gpu_library();
  if (library.backend == nullptr || library.devices.empty()) return answer({"", {}, library.why_not});
  if (task.makes_id) answer({library.backend->make_unique_id(), {}, ""});
  const auto id = read_line();
  if (!id) return;
  // Left as it is at the end: its own end would wait for the others once more.
  Collective* collective = library.backend->join(trial_answer_from(*id).id, task.placement, task.settings).release();
  answer({"", measure_all(task, *collective), ""});
  // The others may still need what this one has sent.
  while (read_line()) {
  }
}

}  // namespace

int run_trial_child() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // NCCL's log goes to standard output, and is read line by line at the other end.
  setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  int code = static_cast<int>(ExitCode::kSuccess);
  try {
    work();
  } catch (const std::exception& error) {
    answer({"", {}, error.what()});
    code = static_cast<int>(ExitCode::kInternal);
  }
  // Nothing is taken down: that could wait for a peer.
  _exit(code);
}

}  // namespace ringrun::worker
