#include "tests/lab/host_change.hpp"

#include <iostream>
#include <stdexcept>
#include <utility>

#include "tests/support/command.hpp"

namespace ringrun::test {
namespace {

/// Undoing happens in destructors: a failure is printed, and the test that needs what is left there will say the rest.
void undo(const LabHolder& lab, std::vector<std::string> words) {
  try {
    run_lab_command(lab, std::move(words));
  } catch (const std::runtime_error& error) {
    std::cerr << error.what() << '\n';
  }
}

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

void run_lab_command(const LabHolder& lab, std::vector<std::string> words) {
  words.insert(words.begin(), {RINGRUN_SOURCE_DIR "/tests/lab/lab", "--lab", lab.folder()});
  CommandOptions options;
  options.cwd = RINGRUN_SOURCE_DIR;
  const auto result = run_command(words, options);
  if (result.exit_code == 0) return;
  std::string command;
  for (const auto& word : words) command += word + ' ';
  throw std::runtime_error(command + "ended with " + std::to_string(result.exit_code) + ": " + result.err);
}

HostChange::HostChange(const LabHolder& lab, std::string host, std::vector<std::string> thing)
    : lab_(lab), host_(std::move(host)), thing_(std::move(thing)) {
  run_lab_command(lab_, joined({"set", host_}, thing_));
}

HostChange::~HostChange() { undo(lab_, joined({"unset", host_}, thing_)); }

DockerEngine::DockerEngine(const LabHolder& lab, std::string host) : lab_(lab), host_(std::move(host)) {
  run_lab_command(lab_, {"docker", host_, "start"});
}

DockerEngine::~DockerEngine() { undo(lab_, {"docker", host_, "stop"}); }

Container::Container(const LabHolder& lab, std::string host, std::string name, const std::vector<std::string>& options)
    : lab_(lab), host_(std::move(host)), name_(std::move(name)) {
  run_lab_command(lab_, joined({"container", host_, name_}, options));
}

Container::~Container() { undo(lab_, {"container-end", host_, name_}); }

void Container::start_sshd(int port) { run_lab_command(lab_, {"sshd", name_, std::to_string(port)}); }

}  // namespace ringrun::test
