#include "launcher/probe/probe.hpp"

#include <cstring>
#include <sstream>

#include "launcher/launch_errors.hpp"
#include "launcher/probe/agent.hpp"
#include "launcher/probe/local_names.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "lib/error.hpp"
#include "lib/version.hpp"

namespace ringrun {
namespace {

// More remote shells at a time start no sooner: the processor is the limit.
constexpr int kAtOnce = 128;

std::optional<std::string> marked_line(const std::string& out) {
  const std::string mark = std::string("\n") + kAnswerMark;
  const std::size_t at = ("\n" + out).rfind(mark);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + mark.size() - 1;
  return out.substr(begin, out.find('\n', begin) - begin);
}

std::string tail(const std::string& err) {
  constexpr std::size_t kLines = 10;
  std::vector<std::string> lines;
  std::istringstream text(err);
  for (std::string line; std::getline(text, line);) {
    while (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  std::string result;
  for (std::size_t i = lines.size() > kLines ? lines.size() - kLines : 0; i < lines.size(); ++i) {
    result += "\n    " + lines[i];
  }
  return result;
}

std::string try_by_hand(const Host& host, const ProbeRequest& request) {
  std::string text;
  for (const std::string& word : remote_command(request.shell, host, {"true"}))
    text += (text.empty() ? "" : " ") + word;
  return text;
}

ProbeFault fault_of_exit(const Host& host, const ProbeRequest& request, const Captured& captured) {
  const std::string shell = request.shell.empty() ? "ringrun" : request.shell[0];
  const bool not_found =
      captured.err.find("not found") != std::string::npos || captured.err.find("No such file") != std::string::npos;
  if (captured.code == 255 && !request.shell.empty()) {
    return {shell + " failed (exit code 255)",
            "this must work from here, without a question: " + try_by_hand(host, request)};
  }
  if (captured.code == 127 || captured.code == 126 || (captured.code != 0 && not_found)) {
    return {"ringrun is missing there, or does not start (exit code " + std::to_string(captured.code) + ")",
            "it must stand at the same path on every host: " + request.ringrun};
  }
  return {"ringrun's agent ended with exit code " + std::to_string(captured.code) + " without an answer",
          "try there: echo | " + request.ringrun + " __agent"};
}

}  // namespace

std::optional<ProbeFault> read_answer(const Host& host, const ProbeRequest& request, const Captured& captured,
                                      HostFacts& facts) {
  if (const std::optional<std::string> line = marked_line(captured.out)) {
    try {
      facts = host_facts_from_json(*line);
    } catch (const UserError& error) {
      return ProbeFault{error.what(), error.remedy()};
    }
    if (facts.ringrun_version == kVersion) return std::nullopt;
    return ProbeFault{"it has ringrun " + facts.ringrun_version + ", this host has " + kVersion,
                      "put the same version of ringrun on every host at " + request.ringrun};
  }
  switch (captured.end) {
    case Captured::End::timed_out:
      return ProbeFault{
          "no answer in " + std::to_string(request.timeout) + " s" + tail(captured.err),
          "see what holds it up: " + try_by_hand(host, request) + "; or give it time with --start-timeout"};
    case Captured::End::not_started:
      return ProbeFault{"cannot start the remote shell: " + std::string(std::strerror(captured.code)), ""};
    case Captured::End::signalled:
      return ProbeFault{"the remote shell was killed by signal " + std::to_string(captured.code) + tail(captured.err),
                        ""};
    case Captured::End::exited:
      break;
  }
  ProbeFault fault = fault_of_exit(host, request, captured);
  fault.cause += tail(captured.err);
  return fault;
}

std::vector<HostAnswer> resolve_hosts(const HostList& hosts) {
  std::vector<std::string> names;
  for (const Host& host : hosts) names.push_back(host.name);
  std::vector<HostAnswer> answers;
  for (ResolvedName& name : resolve_names(names)) answers.push_back({name.local, std::move(name.address), {}});
  return answers;
}

std::vector<HostAnswer> probe_hosts(const HostList& hosts, const std::vector<HostAnswer>& resolved,
                                    const ProbeRequest& request) {
  std::vector<CaptureCommand> commands;
  const std::vector<std::string> agent = {request.ringrun, "__agent"};
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    commands.push_back({resolved[i].local ? agent : remote_command(request.shell, hosts[i], agent),
                        to_json(request.question) + "\n", std::chrono::seconds(request.timeout)});
  }
  const std::vector<Captured> captured = capture_all(commands, kAtOnce);
  std::vector<HostAnswer> answers = resolved;
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (const auto fault = read_answer(hosts[i], request, captured[i], answers[i].facts)) {
      faults.push_back(hosts[i].name + ": " + fault->cause + (fault->remedy.empty() ? "" : "\n    " + fault->remedy));
    }
  }
  if (!faults.empty()) throw HostError(faults, hosts.size());
  return answers;
}

}  // namespace ringrun
