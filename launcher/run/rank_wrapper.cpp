#include "launcher/run/rank_wrapper.hpp"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "launcher/engine/plan_variables.hpp"
#include "launcher/run/nccl_messages.hpp"
#include "launcher/run/rank_identity.hpp"
#include "launcher/run/rank_record.hpp"
#include "launcher/run/rank_signals.hpp"
#include "launcher/run/rank_streams.hpp"
#include "launcher/run/reaper.hpp"
#include "launcher/staging/user_cache.hpp"
#include "lib/error.hpp"
#include "lib/host/host_name.hpp"
#include "lib/placement/placement.hpp"

namespace ringrun {
namespace {

constexpr int kBadRequest = 2;
constexpr int kHostOrNetwork = 3;

std::int64_t clock_us() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

// What engines read at a time: Open MPI, and srun 22.05.
constexpr std::size_t kPiece = 4096;
constexpr std::size_t kSlurmPiece = 1024;

/// Until these many bytes more are read in one piece: another rank's words could stand between two.
void wait_for_place(int fd, std::size_t size, std::size_t piece) {
  constexpr timespec kMoment{0, 1'000'000};
  constexpr int kMoments = 500;
  int unread = 0;
  for (int i = 0; i < kMoments; ++i) {
    if (ioctl(fd, FIONREAD, &unread) != 0 || static_cast<std::size_t>(unread) + size <= piece) return;
    nanosleep(&kMoment, nullptr);
  }
}

/// One rank, from its plan to its end.
class Rank {
 public:
  explicit Rank(const std::vector<std::string>& words) : words_(words) {
    const auto variable = [](const char* name) -> const char* { return std::getenv(name); };
    const std::string plan = read_plan_variables(variable);
    if (plan.empty())
      throw UserError("ringrun __rank: RINGRUN_PLAN is not set", "it is started by the engine of a ringrun job");
    plan_ = job_plan_from_json(plan);
    identity_ = read_rank_identity(plan_, variable);
    by_srun_ = std::getenv("OMPI_COMM_WORLD_RANK") == nullptr;
  }

  int run() {
    tell(StartRecord{identity_.rank, identity_.host, clock_us()});
    const int most = class_of(plan_, identity_.host).most_ranks;
    if (most > 0 && identity_.local_size > most) {
      const UserError error =
          too_few_gpus(static_cast<std::size_t>(identity_.local_size), static_cast<std::size_t>(most));
      return give_up(UserError(host_name() + ": " + error.what(), error.remedy()), kBadRequest);
    }
    try {
      return run_program();
    } catch (const UserError& error) {
      return give_up(error, kHostOrNetwork);
    } catch (const std::exception& error) {
      return give_up(UserError(error.what()), kHostOrNetwork);
    }
  }

 private:
  void tell(const Record& record) const {
    const std::string text = frame_record(plan_.rendezvous.run_id, record, by_srun_ ? kMostSlurmRecord : kMostRecord);
    wait_for_place(STDERR_FILENO, text.size(), by_srun_ ? kSlurmPiece : kPiece);
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  }

  EndRecord begin_record() const {
    EndRecord record;
    record.rank = identity_.rank;
    record.host = host_name();
    record.gpu = gpu_of(plan_, identity_);
    record.pid = getpid();
    record.time = clock_us();
    record.told = RankSignals::told_to_end();
    return record;
  }

  /// The wrapper itself cannot do its part.
  int give_up(const UserError& error, int code) const {
    EndRecord record = begin_record();
    record.code = code;
    record.lines = {"ringrun: " + std::string(error.what()) + (error.remedy().empty() ? "" : "; " + error.remedy())};
    tell(record);
    return code;
  }

  int run_program() {
    std::vector<std::string> program = program_words();
    const PlanProgram* own = program_of(plan_, identity_.rank);
    set_rank_environment(plan_, identity_);
    const Descriptor held = use_copy(program);
    bind_rank(plan_, identity_);
    RankStreams streams(plan_.output, identity_.rank, identity_.size, plan_.restart > 0);
    if (own != nullptr && own->working_directory && chdir(own->working_directory->c_str()) != 0) {
      throw UserError("cannot change to " + *own->working_directory + ": " + std::strerror(errno));
    }
    std::vector<char*> argv;
    for (const std::string& word : program) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const auto become_program = [&]() -> int {
      streams.enter_program();
      keep_nccl_messages_apart();
      execvp(argv[0], argv.data());
      return errno;
    };
    Reaper reaper(signals_, become_program, [&] { streams.leave(); });
    streams.begin();
    streams.pass_on(reaper.channel());
    const std::optional<ProgramEnd> end = reaper.read_end();
    EndRecord record = begin_record();
    streams.drain();
    // Where the reaper was killed, the program was too.
    record.signal = SIGKILL;
    record.lines = streams.last_lines();
    if (end) describe(*end, program[0], record);
    const int code = exit_code_of(record);
    if (code == 0) record.lines.clear();
    tell(record);
    if (end) {
      reaper.end_others(code != 0 || record.told);
      streams.pass_on(reaper.channel());
      streams.drain();
    }
    reaper.finish();
    return code;
  }

  /// Where this host has the program in another place: its path there, kept from being removed while the rank lives.
  Descriptor use_copy(std::vector<std::string>& program) const {
    const auto& copies = class_of(plan_, identity_.host).programs;
    const auto copy = copies.find(program[0]);
    if (copy == copies.end()) return {};
    program[0] = copy->second.path;
    if (!copy->second.libraries.empty()) put_first_on_library_path(copy->second.libraries);
    return hold_copy(std::filesystem::path(program[0]).parent_path());
  }

  static void put_first_on_library_path(const std::string& folder) {
    const char* others = std::getenv("LD_LIBRARY_PATH");
    const bool any = others != nullptr && *others != '\0';
    setenv("LD_LIBRARY_PATH", (folder + (any ? ":" + std::string(others) : "")).c_str(), 1);
  }

  static void describe(const ProgramEnd& end, const std::string& program, EndRecord& record) {
    record.pid = end.pid;
    record.signal = 0;
    record.error = end.error;
    if (end.error != 0) {
      record.program = program;
      if (end.error == ENOENT && access(program.c_str(), F_OK) == 0) {
        record.lines = {"the file is there; what its first line names (#!) is not: an end of line from Windows",
                        "would be part of that name (sed -i 's/\\r$//' mends it)"};
      }
    } else if (WIFSIGNALED(end.status)) {
      record.signal = WTERMSIG(end.status);
      record.core = WCOREDUMP(end.status);
    } else {
      record.code = WEXITSTATUS(end.status);
    }
  }

  /// Behind "--", or the plan's for this rank.
  std::vector<std::string> program_words() const {
    if (const PlanProgram* program = program_of(plan_, identity_.rank)) return program->argv;
    if (words_.size() < 2 || words_[0] != "--") throw UserError("ringrun __rank: no program is given");
    return {words_.begin() + 1, words_.end()};
  }

  const std::vector<std::string>& words_;
  RankSignals signals_;
  JobPlan plan_;
  RankIdentity identity_;
  bool by_srun_ = false;
};

}  // namespace

int run_rank(const std::vector<std::string>& words) { return Rank(words).run(); }

}  // namespace ringrun
