#include "launcher/cli/option_groups.hpp"
#include "launcher/cli/option_values.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

Mapping& mapping_of(OptionTarget target) { return target.job.engine_options.mapping; }

/// An option that is a short word for a value of --map-by.
OptionRow short_for(std::vector<std::string> spellings, const std::string& map_by, const std::string& help) {
  const std::string name = spellings[0];
  return {std::move(spellings), 0, "", help, {}, [name, map_by](OptionTarget t, const Values&) {
            add_map_by(mapping_of(t), name, map_by);
          }};
}

/// Likewise with a number in it.
OptionRow counted(std::vector<std::string> spellings, const std::string& begin, const std::string& end,
                  const std::string& help) {
  const std::string name = spellings[0];
  return {std::move(spellings), 1, "N", help, {"2"}, [name, begin, end](OptionTarget t, const Values& v) {
            add_map_by(mapping_of(t), name, begin + std::to_string(whole_number(name, v[0], 1)) + end);
          }};
}

void bind_to(OptionTarget target, const std::string& option, const std::string& text) {
  std::string binding = parse_bind_to(text);
  // Open MPI 5 reports bindings this way.
  const std::string report = ":report";
  if (binding.ends_with(report)) {
    binding.erase(binding.size() - report.size());
    target.job.engine_options.display.push_back("bind");
  }
  set_once(option, mapping_of(target).bind_to, binding);
}

OptionRow short_binding(std::vector<std::string> spellings, const std::string& binding) {
  const std::string name = spellings[0];
  return {std::move(spellings),   0,  "",
          "--bind-to " + binding, {}, [name, binding](OptionTarget t, const Values&) {
            bind_to(t, name, binding); }};
}

/// Checked here, since mpirun 4.1 takes any word and binds as if there were none.
std::string cpu_list_text(const std::string& option, const std::string& text) {
  try {
    if (!parse_cpu_list(text).empty()) return text;
  } catch (const UserError&) {
    // The option is named below.
  }
  throw UserError(option + " '" + text + "' is no list of CPUs", "write for example 0,2 or 0-3,8");
}

OptionRow cpu_list(std::vector<std::string> spellings) {
  const std::string name = spellings[0];
  return {
      std::move(spellings),
      1,
      "LIST",
      "the CPUs that ranks may have",
      {"0,1"},
      [name](OptionTarget t, const Values& v) { set_once(name, mapping_of(t).cpu_set, cpu_list_text(name, v[0])); }};
}

}  // namespace

OptionRows mapping_options() {
  return {
      {{"--map-by", "-map-by"},
       1,
       "WHAT",
       "slot, node, core, numa, package, ppr:N:node, seq, …, :pe=N :span :oversubscribe :nolocal",
       {"node:pe=2"},
       [](OptionTarget t, const Values& v) { add_map_by(mapping_of(t), "--map-by", v[0]); }},
      {{"--rank-by", "-rank-by"},
       1,
       "WHAT",
       "slot, node, fill, span",
       {"node"},
       [](OptionTarget t, const Values& v) { set_once("--rank-by", mapping_of(t).rank_by, parse_rank_by(v[0])); }},
      {{"--bind-to", "-bind-to"},
       1,
       "WHAT",
       "the engine's own binding instead of ringrun's: none, core, package, …",
       {"core"},
       [](OptionTarget t, const Values& v) { bind_to(t, "--bind-to", v[0]); }},
      counted({"-N", "-npernode", "--npernode"}, "ppr:", ":node", "ranks on each host"),
      short_for({"-pernode", "--pernode"}, "ppr:1:node", "one rank on each host"),
      counted({"-npersocket", "--npersocket"}, "ppr:", ":package", "ranks on each package"),
      {{"--ppr", "-ppr"},
       1,
       "N:OBJECT",
       "ranks on each of these",
       {"2:node"},
       [](OptionTarget t, const Values& v) { add_map_by(mapping_of(t), "--ppr", "ppr:" + v[0]); }},
      short_for({"-bynode", "--bynode"}, "node", "--map-by node"),
      short_for({"-byslot", "--byslot"}, "slot", "--map-by slot"),
      short_for({"-bycore", "--bycore"}, "core", "--map-by core"),
      counted({"--cpus-per-proc", "-cpus-per-proc", "--cpus-per-rank", "-cpus-per-rank"}, ":pe=", "", "--map-by :pe=N"),
      cpu_list({"--cpu-list", "-cpu-list"}),
      cpu_list({"--cpu-set", "-cpu-set"}),
      short_binding({"--bind-to-core", "-bind-to-core"}, "core"),
      short_binding({"--bind-to-socket", "-bind-to-socket"}, "package"),
      short_binding({"--bind-to-none", "-bind-to-none"}, "none"),
      short_for({"--use-hwthread-cpus", "-use-hwthread-cpus"}, ":hwtcpus", "a hardware thread counts as a CPU"),
      short_for({"--oversubscribe", "-oversubscribe"}, ":oversubscribe", "more ranks than slots are meant"),
      short_for({"--nooversubscribe", "-nooversubscribe"}, ":nooversubscribe", "never more ranks than slots"),
      short_for({"--nolocal", "-nolocal"}, ":nolocal", "no ranks on this host"),
      {{"--rankfile", "-rankfile", "-rf", "--rf"},
       1,
       "FILE",
       "host and CPUs of each rank",
       {"ranks"},
       [](OptionTarget t, const Values& v) { add_map_by(mapping_of(t), "--rankfile", "rankfile:file=" + v[0]); }},
  };
}

}  // namespace ringrun
