#include "launcher/probe/probe.hpp"

#include <algorithm>
#include <cstring>

#include "launcher/environment.hpp"
#include "launcher/hosts/visible_devices.hpp"
#include "launcher/probe/agent_protocol.hpp"
#include "launcher/probe/local_names.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "launcher/probe/staging.hpp"
#include "lib/error.hpp"
#include "lib/explain/container_entry.hpp"
#include "lib/host/build_id.hpp"
#include "lib/net/probe_json.hpp"
#include "lib/text/shell_word.hpp"
#include "lib/version.hpp"

namespace ringrun {
namespace {

using namespace std::chrono_literals;

// When a user begins to wonder.
constexpr auto kLongSilence = 5s;

AgentFault fault_of_exit(const AgentReply& reply, bool by_shell) {
  const auto says = [&](const char* text) { return reply.words.find(text) != std::string::npos; };
  if (reply.code == 255 && by_shell) return AgentFault::shell_failed;
  // srun's own errors; what it says of its task is not one.
  if (by_shell && says("srun: error: ") && !says(": Exited with exit code")) return AgentFault::shell_failed;
  if (reply.code == 127 || reply.code == 126) return AgentFault::no_program;
  const bool not_found = says("not found") || says("No such file");
  return reply.code != 0 && not_found ? AgentFault::no_program : AgentFault::broken;
}

}  // namespace

HostQuestion question_for(const Host& host, HostQuestion common) {
  common.visible_devices = visible_devices_of(host, common.visible_devices);
  // -x wins over them.
  const auto& own = host.attributes.environment;
  common.environment.insert(own.begin(), own.end());
  for (ProgramQuestion& program : common.more_programs) {
    const auto devices = visible_devices_of(host, find_variable(program.environment, kVisibleDevices));
    if (devices) program.environment[kVisibleDevices] = *devices;
    program.environment.insert(own.begin(), own.end());
  }
  return common;
}

void read_reply(const AgentReply& reply, bool by_shell, HostAnswer& answer) {
  answer.waited = reply.seconds;
  answer.words = reply.words;
  switch (reply.end) {
    case AgentReply::End::answered:
      try {
        answer.facts = host_facts_from_json(reply.answer);
        answer.fault = AgentFault::none;
        if (answer.facts.ringrun_version == kVersion) return;
        answer.words = "it has ringrun " + answer.facts.ringrun_version + ", this host has " + kVersion;
      } catch (const UserError& error) {
        answer.words = error.what();
      }
      answer.fault = AgentFault::other_version;
      return;
    case AgentReply::End::silent:
      answer.fault = AgentFault::silent;
      if (reply.started) {
        answer.words =
            "its agent started and does not answer: a driver or a file system may hang there (nvidia-smi, df)" +
            (reply.words.empty() ? "" : "\n" + reply.words);
      }
      return;
    case AgentReply::End::not_started:
      answer.fault = AgentFault::no_shell;
      answer.words = std::strerror(reply.code);
      return;
    case AgentReply::End::signalled:
      answer.fault = AgentFault::broken;
      answer.words = "killed by signal " + std::to_string(reply.code) + "\n" + answer.words;
      return;
    case AgentReply::End::exited:
      answer.fault = fault_of_exit(reply, by_shell);
      if (answer.words.empty()) answer.words = "exit code " + std::to_string(reply.code) + ", no words";
      return;
  }
}

std::vector<HostAnswer> resolve_hosts(const HostList& hosts, bool by_name_server) {
  std::vector<std::string> names;
  for (const Host& host : hosts) names.push_back(host.name);
  std::vector<HostAnswer> answers;
  for (ResolvedName& name : resolve_names(names, by_name_server)) {
    answers.emplace_back();
    answers.back().local = name.local;
    answers.back().agent = answers.size() - 1;
    answers.back().address = std::move(name.address);
  }
  return answers;
}

HostProbe::HostProbe(HostList hosts, std::vector<HostAnswer> resolved, ProbeRequest request)
    : hosts_(std::move(hosts)), resolved_(std::move(resolved)), request_(std::move(request)) {
  std::vector<std::vector<std::string>> commands;
  for (std::size_t i = 0; i < hosts_.size(); ++i) commands.push_back(command(i, request_.ringrun));
  fleet_ = std::make_unique<AgentFleet>(std::move(commands));
}

void name_closed_container(const HostContainer& container, HostAnswer& answer) {
  // The client itself is missing where it is started without a shell.
  if (answer.fault == AgentFault::no_shell && container.here) answer.words = "docker: command not found";
  const bool refused = answer.fault != AgentFault::none && find_entry_refusal(answer.words) != nullptr;
  if (refused) answer.fault = AgentFault::no_container;
}

bool HostProbe::needs_shell(std::size_t host) const {
  const auto& container = hosts_[host].attributes.container;
  return !resolved_[host].local && !(container && container->here);
}

std::vector<std::string> HostProbe::command(std::size_t host, const std::string& program) const {
  if (resolved_[host].local) return {program, "__agent"};
  return remote_command(request_.shell, hosts_[host], {"exec", quote_for_shell(program), "__agent"});
}

std::string HostProbe::try_by_hand(std::size_t host) const {
  if (request_.shell_name == "srun")
    return "srun --overlap --nodes=1 --ntasks=1 --nodelist=" + quote_for_shell(hosts_[host].name) + " hostname";
  std::string text;
  const std::vector<std::string> shell = request_.shell.empty() ? std::vector{request_.shell_name} : request_.shell;
  for (const std::string& word : remote_command(shell, hosts_[host], {"true"}))
    text += (text.empty() ? "" : " ") + word;
  return text;
}

void HostProbe::read_replies(const std::vector<std::optional<AgentReply>>& replies,
                             std::vector<HostAnswer>& answers) const {
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i]) continue;
    read_reply(*replies[i], !resolved_[i].local, answers[i]);
    if (hosts_[i].attributes.container) name_closed_container(*hosts_[i].attributes.container, answers[i]);
  }
}

std::vector<HostAnswer> HostProbe::ask(const SilenceReport& report) {
  std::vector<std::optional<std::string>> questions;
  std::vector<HostAnswer> answers = resolved_;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (needs_shell(i) && request_.shell.empty()) {
      answers[i].fault = AgentFault::no_shell;
      answers[i].words = "the remote shell '" + request_.shell_name + "' is not found here";
      questions.emplace_back();
      continue;
    }
    HostQuestion question = question_for(hosts_[i], request_.question);
    if (i == 0) question.master_port = request_.master_port;
    questions.push_back(to_json(AgentRequest(question)));
  }
  read_replies(fleet_->exchange(questions, std::chrono::seconds(request_.timeout), kLongSilence, report), answers);
  stage(answers, questions);
  return answers;
}

void HostProbe::stage(std::vector<HostAnswer>& answers, const std::vector<std::optional<std::string>>& questions) {
  const std::string build = own_build_id();
  std::vector<std::size_t> places;
  HostList hosts;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const bool other_build = answers[i].fault == AgentFault::none && answers[i].facts.ringrun_build != build;
    const bool lacks_it = answers[i].fault == AgentFault::no_program || answers[i].fault == AgentFault::other_version;
    if (resolved_[i].local || !(lacks_it || other_build)) continue;
    places.push_back(i);
    hosts.push_back(hosts_[i]);
  }
  if (places.empty()) return;
  const std::vector<StagedCopy> copies =
      stage_program(request_.shell, hosts, request_.ringrun, build, request_.timeout);
  std::vector<std::optional<std::string>> again(answers.size());
  std::vector<HostAnswer> retried = answers;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::size_t i = places[k];
    if (copies[k].path.empty()) {
      // A host that has this version of its own, built for its own distribution, can do with that.
      if (answers[i].fault != AgentFault::none) answers[i].words = copies[k].why_not;
      continue;
    }
    fleet_->replace(i, command(i, copies[k].path));
    again[i] = questions[i];
    retried[i].staged = copies[k].path;
  }
  read_replies(fleet_->exchange(again, std::chrono::seconds(request_.timeout)), retried);
  for (const std::size_t i : places) {
    // A copy that does not run (a home folder mounted noexec) is no reason to do without a host that answered.
    if (again[i] && (retried[i].fault == AgentFault::none || answers[i].fault != AgentFault::none))
      answers[i] = retried[i];
  }
}

std::vector<std::optional<CopyAnswer>> HostProbe::copy(const std::vector<std::optional<CopyOrder>>& orders) {
  std::vector<std::optional<std::string>> lines(hosts_.size());
  std::vector<Contents> contents(hosts_.size());
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!orders[i]) continue;
    lines[i] = to_json(AgentRequest(orders[i]->request));
    contents[i] = orders[i]->contents;
    bytes += bytes_sent(orders[i]->request);
  }
  // All of it leaves by one card, of which a slow one brings this.
  constexpr std::uint64_t kBytesPerMillisecond = 4'000;
  const auto deadline =
      std::chrono::seconds(request_.timeout) + std::chrono::milliseconds(bytes / kBytesPerMillisecond);
  std::vector<std::optional<CopyAnswer>> answers(orders.size());
  const auto replies = fleet_->exchange(lines, contents, deadline);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!replies[i]) continue;
    answers[i].emplace();
    if (replies[i]->end == AgentReply::End::answered) {
      answers[i] = copy_answer_from_json(replies[i]->answer);
    } else {
      const bool silent = replies[i]->end == AgentReply::End::silent;
      answers[i]->problem = (silent ? "its agent does not answer" : "its agent ended") +
                            (replies[i]->words.empty() ? "" : ": " + replies[i]->words);
      answers[i]->remedy = "copy the file by hand: scp; slow networks: ringrun --start-timeout 120 …";
    }
  }
  return answers;
}

ReachMatrix HostProbe::try_network(const std::vector<Participant>& participants,
                                   const std::vector<std::size_t>& everybodys, const std::optional<PortRange>& ports) {
  const std::string nonce = make_nonce();
  std::vector<std::optional<std::string>> lines(hosts_.size());
  for (std::size_t k = 0; k < participants.size(); ++k) {
    lines[participants[k].host] =
        to_json(AgentRequest(ListenRequest{nonce, static_cast<int>(k), participants[k].addresses, 3, ports}));
  }
  const auto listening = fleet_->exchange(lines, 5s);
  std::vector<std::vector<ListeningAddress>> addresses(participants.size());
  for (std::size_t k = 0; k < participants.size(); ++k) {
    const auto& reply = listening[participants[k].host];
    if (reply->end == AgentReply::End::answered) addresses[k] = listening_addresses_from_json(reply->answer);
  }

  const auto partners = choose_partners(static_cast<int>(participants.size()), 1);
  std::chrono::milliseconds deadline{0};
  for (std::size_t k = 0; k < participants.size(); ++k) {
    ConnectRequest connect;
    std::vector<int> tried = partners[k];
    for (const std::size_t other : everybodys) {
      const int place = static_cast<int>(other);
      if (other != k && std::find(tried.begin(), tried.end(), place) == tried.end()) tried.push_back(place);
    }
    for (const int other : tried) {
      for (const ListeningAddress& at : addresses[static_cast<std::size_t>(other)]) {
        if (!at.ports.empty()) connect.targets.push_back({other, at});
      }
    }
    deadline = std::max(deadline, connect_deadline(connect));
    auto& line = lines[participants[k].host];
    line = addresses[k].empty() ? std::nullopt : std::optional(to_json(AgentRequest(connect)));
  }
  ReachMatrix matrix;
  for (const auto& reply : fleet_->exchange(lines, deadline)) {
    if (!reply || reply->end != AgentReply::End::answered) continue;
    const std::vector<Link> links = links_from_json(reply->answer);
    matrix.insert(matrix.end(), links.begin(), links.end());
  }
  return matrix;
}

}  // namespace ringrun
