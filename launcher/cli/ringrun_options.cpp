#include <algorithm>
#include <array>

#include "launcher/cli/option_groups.hpp"
#include "launcher/cli/option_values.hpp"

namespace ringrun {
namespace {

/// The place of `text` among the words that an option knows. Throws UserError.
template <std::size_t N>
std::size_t one_of(const std::string& option, const std::string& text, const std::array<const char*, N>& known) {
  const auto found = std::find(known.begin(), known.end(), text);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  std::string words;
  for (const char* word : known) words += (words.empty() ? "" : ", ") + std::string(word);
  throw UserError(option + " '" + text + "' is not known", "one of " + words);
}

void set_engine(OptionTarget target, const Values& values) {
  one_of("--engine", values[0], std::array{"auto", "openmpi", "slurm"});
  set_once("--engine", target.job.engine, values[0]);
}

void set_transport(OptionTarget target, const Values& values) {
  const bool mpi = one_of("--transport", values[0], std::array{"mpi", "nccl"}) == 0;
  set_once("--transport", target.job.transport, mpi ? Transport::mpi : Transport::nccl);
}

void set_visible_devices(OptionTarget target, const Values& values) {
  const bool own = one_of("--visible-devices", values[0], std::array{"none", "own"}) == 1;
  set_once("--visible-devices", target.job.own_gpu_only, own);
}

void set_on_hang(OptionTarget target, const Values& values) {
  set_once("--on-hang", target.job.end_on_hang, one_of("--on-hang", values[0], std::array{"end", "report"}) == 0);
}

void set_completion(OptionTarget target, const Values& values) {
  one_of("--completion", values[0], std::array{"bash"});
  target.job.completion = values[0];
}

OptionRow flag(const std::string& spelling, const std::string& help, bool LaunchRequest::*member, bool value = true) {
  return {{spelling}, 0, "", help, {}, [member, value](OptionTarget t, const Values&) { t.job.*member = value; }};
}

OptionRow seconds(const std::string& spelling, const std::string& help, int LaunchRequest::*member) {
  return {{spelling}, 1, "SECONDS", help, {"20"}, [spelling, member](OptionTarget t, const Values& v) {
            t.job.*member = whole_number(spelling, v[0], 1, 86400);
          }};
}

}  // namespace

OptionRows ringrun_options() {
  return {
      {{"--engine"}, 1, "NAME", "what starts the ranks: auto, openmpi, slurm (auto)", {"openmpi"}, set_engine},
      flag("--doctor", "check hosts and network, report, start nothing", &LaunchRequest::doctor),
      flag("--json", "what --dry-run or --doctor prints, as JSON", &LaunchRequest::json),
      flag("--setup-ssh", "log in to the hosts, say what is missing and what mends it, start nothing",
           &LaunchRequest::setup_ssh),
      flag("--yes", "with --setup-ssh: make keys, trust new host keys, send keys at a terminal", &LaunchRequest::yes),
      flag("--offline", "with --dry-run: ask no host", &LaunchRequest::offline),
      {{"--topology"},
       1,
       "FILE",
       "with --dry-run: every host is this machine of lstopo's XML, which is not here",
       {"node.xml"},
       [](OptionTarget t, const Values& v) { set_once("--topology", t.job.topology, v[0]); }},
      flag("--no-preflight", "start without a look at the network", &LaunchRequest::preflight, false),
      {{"--nic"},
       1,
       "HOST=INTERFACE",
       "the network card for this host",
       {"a=eth0"},
       [](OptionTarget t, const Values& v) { t.job.nics.push_back(host_and_interface(v[0])); }},
      {{"--port-range"},
       1,
       "FIRST-LAST",
       "ports that a firewall leaves open between the hosts",
       {"20000-20100"},
       [](OptionTarget t, const Values& v) { set_once("--port-range", t.job.ports, port_range(v[0])); }},
      {{"--master-port"},
       1,
       "PORT",
       "MASTER_PORT of the ranks",
       {"29500"},
       [](OptionTarget t, const Values& v) {
         set_once("--master-port", t.job.master_port, whole_number("--master-port", v[0], 1, 65535));
       }},
      flag("--share-gpu", "more ranks than GPUs on a host are meant", &LaunchRequest::share_gpu),
      {{"--visible-devices"},
       1,
       "WHAT",
       "what ranks see by CUDA_VISIBLE_DEVICES: their own GPU; none: it is left alone (none)",
       {"own"},
       set_visible_devices},
      {{"--transport"}, 1, "NAME", "what the program talks over: mpi, nccl", {"mpi"}, set_transport},
      {{"--on-hang"}, 1, "WHAT", "a job that cannot go on: end, report", {"end"}, set_on_hang},
      seconds("--hang-timeout", "silence after a fatal line that is a hang (10)", &LaunchRequest::hang_timeout),
      seconds("--start-timeout", "how long a host may take to answer (30)", &LaunchRequest::start_timeout),
      {{"--completion"}, 1, "SHELL", "print the completion script for bash", {"bash"}, set_completion},
  };
}

}  // namespace ringrun
