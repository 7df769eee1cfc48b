#include "launcher/ssh/setup_line.hpp"

#include <algorithm>
#include <filesystem>

#include "launcher/probe/remote_shell.hpp"
#include "lib/text/shell_word.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

std::string hosts_of(const ProgramRequest& program) {
  std::string words;
  if (program.hostfile) words += " -hostfile " + quote_for_shell(*program.hostfile);
  for (const std::string& list : program.host_lists) words += " -H " + quote_for_shell(list);
  return words;
}

std::string shell_parameters(const LaunchRequest& request) {
  std::string words;
  for (const auto& [name, value] : request.parameters) {
    if (is_remote_shell_parameter(name)) words += " --mca " + name + " " + quote_for_shell(value);
  }
  return words;
}

}  // namespace

std::string setup_ssh_line(const LaunchContext& context) {
  if (context.shell.empty() || std::filesystem::path(context.shell[0]).filename() != "ssh") return {};
  const LaunchRequest& request = context.request;
  std::vector<std::string> named{hosts_of(request)};
  for (const ProgramRequest& program : request.more) named.push_back(hosts_of(program));
  const bool none = std::all_of(named.begin(), named.end(), [](const auto& words) { return words.empty(); });
  if (none)
    named = {request.default_hostfile ? " --default-hostfile " + quote_for_shell(*request.default_hostfile) : ""};
  std::vector<std::string> lines;
  for (const std::string& words : named) {
    const std::string line = "ringrun --setup-ssh" + shell_parameters(request) + words;
    const bool seen = std::find(lines.begin(), lines.end(), line) != lines.end();
    if (!seen && (none || !words.empty())) lines.push_back(line);
  }
  return join_text(lines, "\n");
}

}  // namespace ringrun
