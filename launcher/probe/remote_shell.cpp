#include "launcher/probe/remote_shell.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "lib/text/shell_word.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

constexpr std::array kParameters = {"plm_rsh_agent", "pls_rsh_agent", "plm_ssh_agent", "orte_rsh_agent"};
constexpr std::array kArguments = {"plm_rsh_args", "plm_ssh_args"};
constexpr std::array kPrefixes = {"OMPI_MCA_", "PRTE_MCA_"};

template <typename Names>
bool is_one_of(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename Names>
std::optional<std::string> chosen(const Names& names,
                                  const std::vector<std::pair<std::string, std::string>>& parameters,
                                  const Lookup& environment) {
  for (const auto& [name, value] : parameters) {
    if (is_one_of(names, name)) return value;
  }
  for (const char* prefix : kPrefixes) {
    for (const char* name : names) {
      if (std::optional<std::string> value = environment(std::string(prefix) + name)) return value;
    }
  }
  return std::nullopt;
}

/// As a remote shell does, the words are joined by blanks and read by a shell.
std::vector<std::string> entry_words(const HostContainer& container, const std::vector<std::string>& command) {
  return {"docker", "exec", "-i", container.name, "/bin/sh", "-c", join_text(command, " ")};
}

}  // namespace

bool is_remote_shell_parameter(const std::string& name) {
  return is_one_of(kParameters, name) || is_one_of(kArguments, name);
}

std::vector<std::string> remote_shell_words(const std::vector<std::pair<std::string, std::string>>& parameters,
                                            const Lookup& environment, const Lookup& find_program,
                                            int timeout_seconds) {
  const std::optional<std::string> agent = chosen(kParameters, parameters, environment);
  std::istringstream arguments(chosen(kArguments, parameters, environment).value_or(""));
  std::istringstream alternatives(agent.value_or("ssh"));
  for (std::string alternative; std::getline(alternatives, alternative, ':');) {
    std::istringstream text(alternative);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    if (words.empty() || !find_program(words[0])) continue;
    if (!agent) {
      const int seconds = std::max(timeout_seconds - 1, 1);
      words.insert(words.end(), {"-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=" + std::to_string(seconds)});
    }
    for (std::string word; arguments >> word;) words.push_back(word);
    return words;
  }
  return {};
}

std::string remote_shell_name(const std::vector<std::pair<std::string, std::string>>& parameters,
                              const Lookup& environment) {
  return chosen(kParameters, parameters, environment).value_or("ssh");
}

bool is_remote_shell_said(const std::vector<std::pair<std::string, std::string>>& parameters,
                          const Lookup& environment) {
  return chosen(kParameters, parameters, environment).has_value();
}

std::vector<std::string> remote_command(const std::vector<std::string>& shell, const Host& host,
                                        const std::vector<std::string>& command) {
  const std::optional<HostContainer>& container = host.attributes.container;
  if (container && container->here) return entry_words(*container, command);
  std::vector<std::string> words = shell;
  if (host.user) words.insert(words.end(), {"-l", *host.user});
  if (host.port) words.insert(words.end(), {"-p", std::to_string(*host.port)});
  words.push_back(host.name);
  if (!container) {
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }
  for (const std::string& word : entry_words(*container, command)) words.push_back(quote_for_shell(word));
  return words;
}

}  // namespace ringrun
