#include "launcher/cli/option_groups.hpp"
#include "launcher/cli/option_values.hpp"

namespace ringrun {

OptionRows rank_options() {
  return {
      {{"-np", "-n", "-c", "--n", "--np"},
       1,
       "N",
       "number of ranks; unsaid: every slot",
       {"2"},
       [](OptionTarget t, const Values& v) { set_once("-np", t.program.ranks, whole_number("-np", v[0], 1)); }},
      {{"-hostfile", "--hostfile", "-machinefile", "--machinefile"},
       1,
       "FILE",
       "hosts, one a line: name slots=N user@ port=N, node[01-16]",
       {"hosts"},
       [](OptionTarget t, const Values& v) { set_once("-hostfile", t.program.hostfile, v[0]); }},
      {{"--default-hostfile", "-default-hostfile"},
       1,
       "FILE",
       "hosts where neither -hostfile nor -H names any",
       {"hosts"},
       [](OptionTarget t, const Values& v) { set_once("--default-hostfile", t.job.default_hostfile, v[0]); }},
      {{"-H", "-host", "--host"},
       1,
       "LIST",
       "hosts: a,b:2,c:*; with a hostfile: which of its hosts",
       {"a,b:2"},
       [](OptionTarget t, const Values& v) { t.program.host_lists.push_back(v[0]); }},
      {{"-wdir", "--wdir", "-wd", "--wd"},
       1,
       "DIR",
       "working directory of the ranks",
       {"/tmp"},
       [](OptionTarget t, const Values& v) { set_once("-wdir", t.program.working_directory, v[0]); }},
      {{"--path", "-path"},
       1,
       "DIRS",
       "folders where the program is looked for before PATH",
       {"/opt/bin"},
       [](OptionTarget t, const Values& v) { set_once("--path", t.program.path, v[0]); }},
  };
}

}  // namespace ringrun
