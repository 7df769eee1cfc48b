#include "launcher/cli/option_groups.hpp"
#include "launcher/cli/option_values.hpp"

namespace ringrun {
namespace {

bool is_later(OptionTarget target) { return &target.program != &static_cast<ProgramRequest&>(target.job); }

/// As in Open MPI 4: --mca behind ':' is that program's, --gmca is everybody's.
void add_parameter(OptionTarget target, const std::string& option, const Values& words) {
  if (option == "--mca" && is_later(target)) {
    target.program.exports.push_back("OMPI_MCA_" + words[0] + "=" + words[1]);
    return;
  }
  for (const auto& [name, value] : target.job.parameters) {
    if (name != words[0]) continue;
    if (value == words[1]) return;
    throw UserError(option + " " + words[0] + " is given twice, as '" + value + "' and as '" + words[1] + "'",
                    "leave one of them");
  }
  target.job.parameters.emplace_back(words[0], words[1]);
  if (option != "--mca" && option != "--gmca") target.job.parameter_options.emplace(words[0], option);
}

OptionRow parameter(std::vector<std::string> spellings, const std::string& help, Values example) {
  const std::string name = spellings[0];
  return {std::move(spellings), 2,
          "NAME VALUE",         help,
          std::move(example),   [name](OptionTarget t, const Values& v) { add_parameter(t, name, v); }};
}

}  // namespace

OptionRows environment_options() {
  return {
      {{"-x"},
       1,
       "NAME[=VALUE]",
       "environment variable for the ranks; NAME may end in *",
       {"LANG=C"},
       [](OptionTarget t, const Values& v) { t.program.exports.push_back(v[0]); }},
      parameter({"--mca", "-mca"}, "parameter of Open MPI; behind ':' of that program alone", {"btl", "self,tcp"}),
      parameter({"--gmca", "-gmca"}, "parameter of Open MPI, for every program", {"btl", "self,tcp"}),
      parameter({"--omca", "-omca"}, "parameter of Open MPI's library", {"btl", "self,tcp"}),
      parameter({"--prtemca", "-prtemca"}, "parameter of Open MPI 5's launcher", {"plm_ssh_agent", "ssh"}),
      parameter({"--pmixmca", "-pmixmca"}, "parameter of PMIx", {"ptl_base_verbose", "1"}),
  };
}

}  // namespace ringrun
