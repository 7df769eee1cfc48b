#include "launcher/engine/openmpi.hpp"

#include <algorithm>
#include <array>

#include "launcher/engine/host_directory.hpp"
#include "launcher/engine/plan_variables.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "lib/error.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

bool is_five(const Engine& engine) { return engine.kind == EngineKind::openmpi5; }

bool begins_with(const std::string& text, const char* beginning) { return text.rfind(beginning, 0) == 0; }

bool is_address(const std::string& name) {
  return name.find_first_not_of("0123456789.") == std::string::npos || name.find(':') != std::string::npos;
}

bool is_own(const EngineRequest& request, int host) { return host == request.own_host; }

bool is_container_here(const EngineRequest& request, int host) {
  const auto& container = request.hosts[static_cast<std::size_t>(host)].attributes.container;
  return container && container->here;
}

/// An address that is no interface's, and so remote to Open MPI (4.1.4, 5.0.7), in place of this host's own: on that it
/// would start the ranks outside of the container.
std::string remote_address(int host) {
  return "127.0." + std::to_string(host / 250) + "." + std::to_string(2 + host % 250);
}

/// Open MPI 5 (5.0.7) gives the host that it runs on no slots where -H names it by its address.
std::string host_name_for(const EngineRequest& request, int host) {
  if (is_container_here(request, host)) return remote_address(host);
  const std::string& name = request.hosts[static_cast<std::size_t>(host)].name;
  return is_own(request, host) && is_five(request.engine) && is_address(name) ? "localhost" : name;
}

/// The programs of the plan are one to Open MPI 5, which breaks down where it gets several (5.0.7).
bool has_several_as_one(const EngineRequest& request) { return request.programs.empty() && request.program.empty(); }

/// True where the engine fills the hosts in just this way by itself; a sequence would change its default binding.
bool fills_hosts_in_order(const EngineRequest& request) {
  return request.own_host <= 0 && std::is_sorted(request.host_of_rank.begin(), request.host_of_rank.end());
}

/// Each rank is given a host by name. mpirun fills the host that it runs on first, wherever it stands among the others
/// (4.1.4, 5.0.7, measured); the sequential mapper alone keeps an order.
bool names_each_rank(const EngineRequest& request) {
  if (request.host_of_rank.empty() || !request.programs.empty()) return false;
  if (request.in_list_order) return request.own_host > 0;
  if (has_several_as_one(request)) return !fills_hosts_in_order(request);
  return request.options.mapping.by == "seq";
}

/// Each host is given as many slots as it has ranks, so that the engine's own rules come to ringrun's result.
bool counts_ranks(const EngineRequest& request) { return request.in_list_order || has_several_as_one(request); }

std::string host_words(const EngineRequest& request) {
  std::vector<std::string> words;
  if (names_each_rank(request)) {
    for (const int host : request.host_of_rank) words.push_back(host_name_for(request, host));
  } else {
    const std::vector<int>& counts = counts_ranks(request) ? request.ranks : request.slots;
    for (std::size_t i = 0; i < request.hosts.size(); ++i)
      words.push_back(host_name_for(request, static_cast<int>(i)) + ":" + std::to_string(counts[i]));
  }
  return join_text(words, ",");
}

/// The user's mapping where the engine follows it; in ringrun's own order only the binding is left of it.
Mapping mapping_for(const EngineRequest& request) {
  Mapping mapping = request.options.mapping;
  if (names_each_rank(request)) {
    mapping.by = "seq";
    mapping.rank_by.reset();
    mapping.span = mapping.no_local = false;
  } else if (has_several_as_one(request)) {
    const bool by_host = mapping.by == "node" || mapping.by == "seq" || mapping.by.rfind("ppr", 0) == 0;
    if (by_host) mapping.by.clear();
    mapping.rank_by.reset();
    mapping.no_local = false;
  }
  // On this word 5.0.7 gives the first host all ranks.
  if (counts_ranks(request)) mapping.oversubscribe = mapping.never_oversubscribe = false;
  if (!mapping.bind_to && request.binds) mapping.bind_to = "none";
  return mapping;
}

class Words {
 public:
  explicit Words(std::vector<std::string>& words) : words_(words) {}
  template <typename... Text>
  void add(Text&&... text) {
    (words_.emplace_back(std::forward<Text>(text)), ...);
  }
  void add_all(const std::vector<std::string>& more) { words_.insert(words_.end(), more.begin(), more.end()); }

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
  for (const auto& [name, value] : request.parameters) {
    if (name != "plm" && name != "ras") continue;
    throw UserError(
        "--mca " + name + " " + value + ": in a Slurm allocation ringrun gives mpirun its hosts and daemons",
        "leave it off; --engine slurm starts the ranks by srun");
  }
  // Open MPI 5.0.7 takes the parameter prte_leave_session_attached and starts its daemons in the background all the
  // same.
  words.add("--mca", "plm", is_five(request.engine) ? "ssh" : "rsh", "--mca", "ras", "^slurm",
            "--leave-session-attached");
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

void add_plan(Words& words, const EngineRequest& request) {
  for (const auto& [name, value] : plan_variables(request.plan)) words.add("-x", name);
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

/// "--mca NAME VALUE" in the words of this engine.
void add_parameter(Words& words, const EngineRequest& request, const std::string& name, const std::string& value) {
  const auto option = request.parameter_options.find(name);
  const std::string said = option == request.parameter_options.end() ? "--mca" : option->second;
  if (is_five(request.engine)) {
    const std::string renamed = parameter_name(request.engine, name);
    words.add(renamed == name ? said : "--mca", renamed, value);
  } else if (said == "--pmixmca") {
    throw UserError("Open MPI 4 does not know --pmixmca " + name, "write -x PMIX_MCA_" + name + "=" + value);
  } else {
    words.add("--mca", name, value);
  }
}

void add_programs(Words& words, const EngineRequest& request, const Environment& environment) {
  bool first = true;
  for (const EngineProgram& program : request.programs) {
    if (!first) words.add(":");
    first = false;
    if (program.ranks) words.add("-np", std::to_string(*program.ranks));
    std::vector<std::string> hosts;
    for (const HostSlots& host : program.hosts)
      hosts.push_back(host_name_for(request, host.host) + ":" + std::to_string(host.slots));
    if (!hosts.empty()) words.add("-H", join_text(hosts, ","));
    if (program.working_directory) words.add("-wdir", *program.working_directory);
    // In 4.1 what -x says is one program's.
    add_plan(words, request);
    add_exports(words, request.exports.forwarded, environment);
    add_exports(words, program.exports, environment);
    add_wrapper(words, request);
    words.add_all(program.argv);
  }
}

/// Open MPI 5 is silent about the old names of parameters in the environment too.
void rename_variables(const EngineRequest& request, const Environment& environment, EngineCommand& command) {
  if (!is_five(request.engine)) return;
  for (const auto& [variable, value] : environment) {
    constexpr std::string_view kPrefix = "OMPI_MCA_";
    if (!begins_with(variable, "OMPI_MCA_")) continue;
    const std::string old = variable.substr(kPrefix.size());
    const std::string name = "PRTE_MCA_" + parameter_name(request.engine, old);
    const bool renamed = name != "PRTE_MCA_" + old && !is_remote_shell_parameter(old);
    if (renamed && environment.count(name) == 0) command.set[name] = value;
  }
}

/// By the names that the engine asks for.
HostList directory_hosts(const EngineRequest& request) {
  HostList hosts = request.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (const int place = static_cast<int>(i); is_container_here(request, place)) hosts[i].name = remote_address(place);
  }
  return hosts;
}

}  // namespace

EngineCommand openmpi_command(const EngineRequest& request, const Environment& environment) {
  EngineCommand command;
  Words words(command.argv);
  words.add(request.engine.path);
  if (request.allow_run_as_root) words.add("--allow-run-as-root");
  if (request.prefix) words.add("--prefix", *request.prefix);
  const bool one = request.programs.empty();
  if (one && request.size) words.add("-np", std::to_string(*request.size));
  if (one) words.add("-H", host_words(request));
  EngineOptions options = request.options;
  options.mapping = mapping_for(request);
  words.add_all(option_words(request.engine.kind, options));
  if (request.in_list_order && request.oversubscribed) words.add("--mca", "mpi_yield_when_idle", "1");
  if (request.working_directory) words.add("-wdir", *request.working_directory);
  if (!request.shell.empty()) add_remote_shell(words, request);
  if (request.in_allocation) keep_slurm_out(words, request);
  // mpirun stops where it finds no ssh, as in most containers, for hosts too that need none.
  if (request.no_ssh) words.add("--mca", "plm_rsh_agent", request.ringrun);
  for (const auto& [name, value] : request.parameters) {
    // What the list of variables says, -x says already.
    if (!is_remote_shell_parameter(name) && name.rfind("mca_base_env_list", 0) != 0)
      add_parameter(words, request, name, value);
  }
  if (one) {
    add_plan(words, request);
    add_exports(words, request.exports.forwarded, environment);
    add_exports(words, request.exports.asked, environment);
    add_wrapper(words, request);
    words.add_all(request.program);
  } else {
    add_programs(words, request, environment);
  }

  command.unset = request.dropped;
  // Seen in a vendor's image: it keeps mpirun from every other host.
  if (!request.shell.empty() && find_variable(environment, "OMPI_MCA_plm") == "isolated") {
    command.unset.push_back("OMPI_MCA_plm");
  }
  rename_variables(request, environment, command);
  command.set.merge(plan_variables(request.plan));
  if (!request.shell.empty())
    command.set[kHostsVariable] = to_json(HostDirectory{request.shell, directory_hosts(request), request.staged});
  if (request.own_host >= 0) command.set[kHostVariable] = std::to_string(request.own_host);
  return command;
}

}  // namespace ringrun
