#include "launcher/engine/openmpi.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "launcher/engine/host_directory.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

bool is_five(const Engine& engine) { return engine.kind == EngineKind::openmpi5; }

bool begins_with(const std::string& text, const char* beginning) { return text.rfind(beginning, 0) == 0; }

// What an outer rank, launcher or torchrun leaves in the environment: it would be taken for this job's.
bool is_left_over(const std::string& name, bool inside_rank) {
  static constexpr std::array kAlways = {"TORCHELASTIC_"};
  static constexpr std::array kNames = {kPlanVariable, kHostsVariable,   kHostVariable,      kSelfVariable,
                                        "RANK",        "LOCAL_RANK",     "WORLD_SIZE",       "LOCAL_WORLD_SIZE",
                                        "GROUP_RANK",  "NODE_RANK",      "GROUP_WORLD_SIZE", "ROLE_RANK",
                                        "ROLE_NAME",   "ROLE_WORLD_SIZE"};
  static constexpr std::array kOfRank = {"OMPI_COMM_WORLD_",
                                         "OMPI_MCA_ess",
                                         "OMPI_MCA_orte_",
                                         "OMPI_MCA_pmix",
                                         "PMIX_",
                                         "PRTE_",
                                         "OMPI_UNIVERSE_SIZE",
                                         "OMPI_APP_CTX",
                                         "OMPI_NUM_APP",
                                         "OMPI_FIRST_RANKS",
                                         "OMPI_FILE_LOCATION",
                                         "OMPI_COMMAND",
                                         "OMPI_ARGV",
                                         "OMPI_MCA_initial_wdir",
                                         "OMPI_MCA_ompi_",
                                         "OMPI_MCA_shmem_",
                                         "OMPI_MCA_plm_rsh",
                                         "PRTE_MCA_plm_ssh"};
  const auto begins = [&](const char* beginning) { return begins_with(name, beginning); };
  if (std::any_of(kAlways.begin(), kAlways.end(), begins)) return true;
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  return inside_rank && std::any_of(kOfRank.begin(), kOfRank.end(), begins);
}

bool is_address(const std::string& name) {
  return name.find_first_not_of("0123456789.") == std::string::npos || name.find(':') != std::string::npos;
}

// mpirun fills the host that it runs on first, wherever it stands among the others (4.1.4, measured); the sequential
// mapper keeps the order, and wants a name for every rank.
bool needs_order(const EngineRequest& request) { return request.own_host > 0; }

std::string host_words(const EngineRequest& request) {
  std::string text;
  for (std::size_t i = 0; i < request.hosts.size(); ++i) {
    // Open MPI 5 (5.0.7) gives the host that it runs on no slots where -H names it by its address.
    const bool own = static_cast<int>(i) == request.own_host && is_five(request.engine);
    const std::string name = own ? "localhost" : request.hosts[i].name;
    const int words = needs_order(request) ? request.ranks[i] : 1;
    const std::string word = needs_order(request) ? name : name + ":" + std::to_string(request.ranks[i]);
    for (int n = 0; n < words; ++n) text += (text.empty() ? "" : ",") + word;
  }
  return text;
}

class Words {
 public:
  explicit Words(std::vector<std::string>& words) : words_(words) {}
  template <typename... Text>
  void add(Text&&... text) {
    (words_.emplace_back(std::forward<Text>(text)), ...);
  }

 private:
  std::vector<std::string>& words_;
};

void add_remote_shell(Words& words, const EngineRequest& request) {
  const bool five = is_five(request.engine);
  words.add("--mca", five ? "plm_ssh_agent" : "plm_rsh_agent", request.ringrun + " __rsh");
  // ringrun's directory of hosts is on this host alone, so the daemons cannot start each other.
  words.add("--mca", five ? "plm_ssh_no_tree_spawn" : "plm_rsh_no_tree_spawn", "1");
  const bool dotted = std::any_of(request.hosts.begin(), request.hosts.end(), [](const Host& host) {
    return !is_address(host.name) && host.name.find('.') != std::string::npos;
  });
  // Names are cut at the first dot otherwise, and two hosts may become one.
  if (dotted) words.add("--mca", five ? "prte_keep_fqdn_hostnames" : "orte_keep_fqdn_hostnames", "1");
}

/// In an allocation mpirun would take hosts and slots from Slurm, quietly fewer than it is asked for (4.1.4: -H a:3 is
/// two ranks where Slurm has two tasks), and its daemons would not know their place. With them in steps of their own
/// they must not go to the background: Slurm ends what a step leaves behind.
void keep_slurm_out(Words& words, const EngineRequest& request) {
  const bool five = is_five(request.engine);
  for (const auto& [name, value] : request.parameters) {
    if (name != "plm" && name != "ras") continue;
    throw UserError(
        "--mca " + name + " " + value + ": in a Slurm allocation ringrun gives mpirun its hosts and daemons",
        "leave it off; --engine slurm starts the ranks by srun");
  }
  words.add("--mca", "plm", five ? "ssh" : "rsh", "--mca", "ras", "^slurm");
  words.add("--mca", five ? "prte_leave_session_attached" : "orte_leave_session_attached", "1");
}

// Open MPI 5 has new names for these, and is silent about the old ones.
std::string parameter_name(const Engine& engine, const std::string& name) {
  if (!is_five(engine)) return name;
  if (begins_with(name, "plm_rsh_")) return "plm_ssh_" + name.substr(8);
  if (name == "oob_tcp_if_include") return "prte_if_include";
  if (name == "orte_keep_fqdn_hostnames") return "prte_keep_fqdn_hostnames";
  return name;
}

void add_exports(Words& words, const Environment& exports, const Environment& environment) {
  for (const auto& [name, value] : exports) {
    // Set by the wrapper from the plan, which has taken them from here.
    if (name == "MASTER_ADDR" || name == "MASTER_PORT") continue;
    words.add("-x", find_variable(environment, name) == value ? name : name + "=" + value);
  }
}

/// The engine starts one path on every host; where a copy of ringrun stands elsewhere on some, a shell finds it.
void add_wrapper(Words& words, const EngineRequest& request) {
  const bool copied =
      std::any_of(request.staged.begin(), request.staged.end(), [](const std::string& path) { return !path.empty(); });
  if (copied) {
    const std::string self = "\"${" + std::string(kSelfVariable) + ":-" + request.ringrun + "}\"";
    words.add("/bin/sh", "-c", "exec " + self + " __rank -- \"$@\"", "ringrun");
  } else {
    words.add(request.ringrun, "__rank", "--");
  }
}

}  // namespace

EngineCommand openmpi_command(const EngineRequest& request, const Environment& environment) {
  EngineCommand command;
  Words words(command.argv);
  words.add(request.engine.path);
  if (request.allow_run_as_root) words.add("--allow-run-as-root");
  if (request.prefix) words.add("--prefix", *request.prefix);
  words.add("-np", std::to_string(std::accumulate(request.ranks.begin(), request.ranks.end(), 0)));
  words.add("-H", host_words(request));
  if (needs_order(request)) words.add("--map-by", "seq");
  if (request.bind_to) {
    words.add("--bind-to", *request.bind_to);
  } else if (request.binds) {
    words.add("--bind-to", "none");
  }
  if (request.oversubscribe) words.add("--oversubscribe");
  // Each host is given as many slots as it has ranks, so the engine does not see that they are too many.
  if (request.oversubscribed) words.add("--mca", "mpi_yield_when_idle", "1");
  if (request.working_directory) words.add("-wdir", *request.working_directory);
  if (!request.shell.empty()) add_remote_shell(words, request);
  if (request.in_allocation) keep_slurm_out(words, request);
  // mpirun stops where it finds no ssh, as in most containers, for hosts too that need none.
  if (request.no_ssh) words.add("--mca", "plm_rsh_agent", request.ringrun);
  for (const auto& [name, value] : request.parameters) {
    if (!is_remote_shell_parameter(name)) words.add("--mca", parameter_name(request.engine, name), value);
  }
  words.add("-x", kPlanVariable);
  add_exports(words, request.exports.forwarded, environment);
  add_exports(words, request.exports.asked, environment);
  add_wrapper(words, request);
  command.argv.insert(command.argv.end(), request.program.begin(), request.program.end());

  const bool inside_rank = environment.count("OMPI_COMM_WORLD_RANK") != 0;
  for (const auto& [name, value] : environment) {
    if (is_left_over(name, inside_rank)) command.unset.push_back(name);
  }
  // Seen in a vendor's image: it keeps mpirun from every other host.
  if (!request.shell.empty() && find_variable(environment, "OMPI_MCA_plm") == "isolated") {
    command.unset.push_back("OMPI_MCA_plm");
  }
  command.set[kPlanVariable] = request.plan;
  if (!request.shell.empty())
    command.set[kHostsVariable] = to_json(HostDirectory{request.shell, request.hosts, request.staged});
  if (request.own_host >= 0) command.set[kHostVariable] = std::to_string(request.own_host);
  return command;
}

}  // namespace ringrun
