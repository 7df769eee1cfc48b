#include "launcher/engine/engine_options.hpp"
#include "lib/error.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

[[noreturn]] void refuse(EngineKind kind, const std::string& option, const std::string& remedy) {
  throw UserError(engine_name(kind) + " does not know " + option, remedy);
}

/// "package" is Open MPI 5's word.
std::string in_words_of_four(std::string text) {
  for (std::size_t at = 0; (at = text.find("package", at)) != std::string::npos;) text.replace(at, 7, "socket");
  return text;
}

std::string upper_case_pe(int cpus) { return "PE=" + std::to_string(cpus); }

std::vector<std::string> words_of_four(const Mapping& mapping) {
  std::vector<std::string> words;
  if (mapping.by.rfind("pe-list=", 0) == 0) {
    refuse(EngineKind::openmpi4, "--map-by " + mapping.by, "write --cpu-list LIST --bind-to cpu-list:ordered");
  }
  const bool file = mapping.by == "rankfile" || mapping.by == "seq";
  if (mapping.file && mapping.by == "rankfile") words.insert(words.end(), {"--rankfile", *mapping.file});
  if (mapping.file && mapping.by == "seq")
    refuse(EngineKind::openmpi4, "--map-by seq:file=", "name the file with -hostfile");
  if (mapping.file && !file) refuse(EngineKind::openmpi4, "--map-by " + mapping.by + ":file=", "leave file= off");
  std::vector<std::string> modifiers;
  if (mapping.span) modifiers.push_back("SPAN");
  if (mapping.cpus_per_rank) modifiers.push_back(upper_case_pe(*mapping.cpus_per_rank));
  const std::string by = mapping.by == "rankfile" ? "" : in_words_of_four(mapping.by);
  if (!by.empty() || !modifiers.empty()) {
    words.push_back("--map-by");
    words.push_back(by + (modifiers.empty() ? "" : ":" + join_text(modifiers, ",")));
  }
  if (mapping.oversubscribe) words.push_back("--oversubscribe");
  if (mapping.never_oversubscribe) words.push_back("--nooversubscribe");
  if (mapping.no_local) words.push_back("--nolocal");
  if (mapping.hardware_threads) words.push_back("--use-hwthread-cpus");
  if (mapping.rank_by) {
    const std::string first = mapping.rank_by->substr(0, mapping.rank_by->find(':'));
    if (first == "fill" || first == "span")
      refuse(EngineKind::openmpi4, "--rank-by " + *mapping.rank_by, "write --rank-by slot, or core:" + first);
    words.insert(words.end(), {"--rank-by", in_words_of_four(*mapping.rank_by)});
  }
  if (mapping.cpu_set) words.insert(words.end(), {"--cpu-list", *mapping.cpu_set});
  if (mapping.bind_to) words.insert(words.end(), {"--bind-to", in_words_of_four(*mapping.bind_to)});
  return words;
}

std::vector<std::string> words_of_five(const Mapping& mapping) {
  std::vector<std::string> words;
  std::string by = mapping.by;
  if (by == "board" || by.rfind("dist:", 0) == 0)
    refuse(EngineKind::openmpi5, "--map-by " + by, "map by package, numa or node");
  if (mapping.file) by += ":file=" + *mapping.file;
  if (mapping.cpus_per_rank) by += ":" + upper_case_pe(*mapping.cpus_per_rank);
  if (mapping.span) by += ":SPAN";
  if (mapping.oversubscribe) by += ":OVERSUBSCRIBE";
  if (mapping.never_oversubscribe) by += ":NOOVERSUBSCRIBE";
  if (mapping.no_local) by += ":NOLOCAL";
  if (mapping.hardware_threads) by += ":HWTCPUS";
  if (!by.empty()) words.insert(words.end(), {"--map-by", by});
  if (mapping.rank_by) {
    const std::string& rank_by = *mapping.rank_by;
    if (rank_by != "slot" && rank_by != "node" && rank_by != "fill" && rank_by != "span")
      refuse(EngineKind::openmpi5, "--rank-by " + rank_by, "it ranks by slot, node, fill or span");
    words.insert(words.end(), {"--rank-by", rank_by});
  }
  if (mapping.cpu_set) words.insert(words.end(), {"--cpu-set", *mapping.cpu_set});
  if (mapping.bind_to) {
    const std::string target = mapping.bind_to->substr(0, mapping.bind_to->find(':'));
    if (target == "board" || target == "cpu-list")
      refuse(EngineKind::openmpi5, "--bind-to " + *mapping.bind_to,
             target == "board" ? "bind to package" : "write --map-by pe-list=LIST:ordered");
    words.insert(words.end(), {"--bind-to", *mapping.bind_to});
  }
  return words;
}

/// ringrun lays the ranks out by itself and srun follows the list; it binds by words of its own.
std::vector<std::string> words_of_slurm(const Mapping& mapping) {
  const std::string remedy = "leave it off, or start the job by mpirun: --engine openmpi";
  const bool known = mapping.by.empty() || mapping.by == "slot" || mapping.by == "node" || mapping.by == "seq" ||
                     ranks_per_node(mapping) > 0;
  if (!known) refuse(EngineKind::slurm, "--map-by " + mapping.by, remedy);
  if (mapping.rank_by && *mapping.rank_by != "slot" && *mapping.rank_by != "node")
    refuse(EngineKind::slurm, "--rank-by " + *mapping.rank_by, remedy);
  if (mapping.cpus_per_rank) refuse(EngineKind::slurm, "--map-by :pe=N", remedy);
  if (mapping.span) refuse(EngineKind::slurm, "--map-by :span", remedy);
  if (mapping.file) refuse(EngineKind::slurm, "--map-by seq:file=", remedy);
  if (mapping.cpu_set) refuse(EngineKind::slurm, "--cpu-list", remedy);
  if (mapping.hardware_threads) refuse(EngineKind::slurm, "--use-hwthread-cpus", remedy);
  return {};
}

}  // namespace

std::string engine_name(EngineKind kind) {
  return kind == EngineKind::openmpi4 ? "Open MPI 4" : kind == EngineKind::openmpi5 ? "Open MPI 5" : "Slurm";
}

std::vector<std::string> mapping_words(EngineKind kind, const Mapping& mapping) {
  switch (kind) {
    case EngineKind::openmpi4:
      return words_of_four(mapping);
    case EngineKind::openmpi5:
      return words_of_five(mapping);
    case EngineKind::slurm:
      return words_of_slurm(mapping);
  }
  return {};
}

}  // namespace ringrun
