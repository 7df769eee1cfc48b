#include "tests/mpi/ringrun_job.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace ringrun::test {

CommandResult ringrun(std::vector<std::string> words, std::map<std::string, std::string> environment) {
  words.insert(words.begin(), built_program("ringrun"));
  environment.insert(kRoot.begin(), kRoot.end());
  CommandOptions options;
  options.env = std::move(environment);
  return run_command(words, options);
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

std::set<pid_t> marked_processes(const std::string& mark) {
  std::set<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string environment((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (environment.find(mark) != std::string::npos) found.insert(std::stoi(name));
  }
  return found;
}

std::string program_of(pid_t pid) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name);
  return name;
}

}  // namespace ringrun::test
