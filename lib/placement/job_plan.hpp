#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringrun {

/// What one rank of a host does: `gpu` is the number of its GPU on that host, -1 for none; `cpus` is a CPU list, ""
/// where the engine's binding stays; `memory` is a list of the nodes that its memory comes from, "" for any;
/// `visible_devices` its CUDA_VISIBLE_DEVICES, "" where that is not its own.
struct PlanRow {
  int gpu = -1;
  std::string cpus;
  std::string memory = {};
  std::string visible_devices = {};
  auto operator<=>(const PlanRow&) const = default;
};

/// Where a program stands on a host that has it in another place than the launching one. `libraries` is a folder of
/// libraries that were copied with it, "" for none.
struct ProgramCopy {
  std::string path;
  std::string libraries = {};
  auto operator<=>(const ProgramCopy&) const = default;
};

/// Hosts whose ranks do the same. `rows` are in local-rank order; a local rank without a row, or with an empty one, has
/// neither GPU nor CPUs.
/// `environment` is set; `defaults` only where the rank does not have the variable.
struct HostClass {
  std::vector<PlanRow> rows;
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> defaults;
  /// Programs that stand elsewhere there, by their paths in the job.
  std::map<std::string, ProgramCopy> programs = {};
  /// More ranks than these on such a host are an error, which only a rank there can find; 0: any number.
  int most_ranks = 0;
  auto operator<=>(const HostClass&) const = default;
};

/// Hosts `first` to `last`, both included, are of class `of`.
struct HostRange {
  int first = 0;
  int last = 0;
  int of = 0;
};

struct Rendezvous {
  std::string address;
  int port = 0;
  std::string run_id;
};

/// How the ranks' output is shown; the rank's wrapper does it on its own host. `tag` begins each line with rank and
/// stream, `timestamp` with the time, `merge` sends standard error into standard output; `files` is a folder in which
/// each rank's streams are files, "" for none.
struct OutputStyle {
  bool tag = false;
  bool timestamp = false;
  bool merge = false;
  std::string files;
  bool operator==(const OutputStyle&) const = default;
};

/// One program of a job that has several: it is that of the ranks up to `last_rank`, behind the program before it.
struct PlanProgram {
  int last_rank = 0;
  std::vector<std::string> argv;
  std::optional<std::string> working_directory;
  std::map<std::string, std::string> environment;
  bool operator==(const PlanProgram&) const = default;
};

/// What travels to every rank. Its size grows with the number of classes, not with the number of hosts: hosts are of
/// class 0 unless a range says otherwise.
struct JobPlan {
  int hosts = 0;
  std::vector<HostClass> classes;
  std::vector<HostRange> exceptions;
  Rendezvous rendezvous;
  OutputStyle output;
  /// The launcher shows what programs say of their progress.
  bool shows_progress = false;
  /// Empty: the wrapper's own words are the program.
  std::vector<PlanProgram> programs;
  /// How often the job has been started again, and may be.
  int restart = 0;
  int max_restarts = 0;
  /// Slurm's names of the hosts (SLURMD_NODENAME), in the plan's order, as "n[00-63]"; empty under other engines.
  std::vector<std::string> nodes;
};

/// `hosts` in the order of their ranks.
JobPlan make_job_plan(const std::vector<HostClass>& hosts, Rendezvous rendezvous);

/// Throws std::out_of_range where the plan has no such host.
const HostClass& class_of(const JobPlan& plan, int host);

/// The rank's own program, nullptr in a job that has one for all.
const PlanProgram* program_of(const JobPlan& plan, int rank);

std::string to_json(const JobPlan& plan);

/// Throws UserError where the text is no plan or one of another schema version.
JobPlan job_plan_from_json(std::string_view json);

/// A rank as the engine counts it; `host` is its host's place in the plan.
struct RankIdentity {
  int rank = 0;
  int size = 0;
  int local_rank = 0;
  int local_size = 0;
  int host = 0;
};

/// The variables of torchrun's contract and the host's own, each name once.
std::map<std::string, std::string> rank_environment(const JobPlan& plan, const RankIdentity& identity);

}  // namespace ringrun
