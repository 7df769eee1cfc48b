#include "launcher/ssh/setup_ssh.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <ostream>
#include <sstream>

#include "launcher/launch_errors.hpp"
#include "launcher/probe/probe.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "launcher/ssh/login.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

constexpr int kHostOrNetwork = 3;

/// The words of the ssh that jobs use.
std::vector<std::string> ssh_words(const LaunchContext& context) {
  const auto variable = [&](const std::string& name) { return find_variable(context.environment, name); };
  const auto find = [&](const std::string& name) { return find_on_path(context.environment, name); };
  const auto& parameters = context.request.parameters;
  std::vector<std::string> words{"ssh", "-x"};
  if (is_remote_shell_said(parameters, variable))
    words = remote_shell_words(parameters, variable, find, context.request.start_timeout);
  const std::string name = words.empty() ? "" : std::filesystem::path(words[0]).filename().string();
  if (name != "ssh") {
    throw UserError("--setup-ssh: the remote shell is '" + remote_shell_name(parameters, variable) + "', not ssh",
                    "leave --mca plm_rsh_agent and OMPI_MCA_plm_rsh_agent off");
  }
  if (!find(words[0])) throw HostError("there is no ssh here", "sudo apt-get install -y openssh-client");
  return words;
}

/// At the terminal, where the password is asked for. Returns its exit code.
int run_at_terminal(const std::vector<std::string>& words) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class Setup {
 public:
  Setup(const LaunchContext& context, const Streams& streams)
      : context_(context), out_(streams.out), shell_(ssh_words(context)), home_(ssh_home()) {}

  int run() {
    const std::vector<HostAnswer> resolved = resolve_hosts(context_.hosts, true);
    HostList remote;
    for (std::size_t i = 0; i < context_.hosts.size(); ++i) {
      if (resolved[i].local) {
        out_ << context_.hosts[i].name << ": this host\n";
      } else {
        remote.push_back(context_.hosts[i]);
      }
    }
    if (remote.empty()) return printed(out_);
    std::vector<LoginFacts> facts = facts_of(remote);
    std::vector<Login> logins = log_in(facts);
    if (context_.request.yes && mend(facts, logins)) logins = log_in(facts);
    print(facts, logins);
    printed(out_);
    return std::all_of(logins.begin(), logins.end(), works) ? 0 : kHostOrNetwork;
  }

 private:
  static bool works(const Login& login) { return login.state == LoginState::works; }

  std::vector<LoginFacts> facts_of(const HostList& hosts) const {
    const bool agent = agent_holds_keys();
    const std::vector<SshSettings> settings = read_ssh_settings(shell_, hosts, home_);
    // Most hosts try the same.
    std::map<std::vector<std::string>, UserKeys> keys;
    std::vector<LoginFacts> facts;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto [entry, is_new] = keys.try_emplace(settings[i].keys);
      if (is_new) entry->second = find_user_keys(settings[i], agent);
      facts.push_back({hosts[i], settings[i], entry->second, {}, home_});
    }
    return facts;
  }

  std::vector<Login> log_in(std::vector<LoginFacts>& facts) const {
    HostList hosts;
    for (const LoginFacts& each : facts) hosts.push_back(each.host);
    const std::vector<Captured> tried = try_logins(shell_, hosts);
    std::vector<Login> logins;
    for (std::size_t i = 0; i < facts.size(); ++i) logins.push_back(read_login(tried[i], facts[i]));
    look_at_host_keys(facts, logins);
    for (std::size_t i = 0; i < facts.size(); ++i) logins[i] = read_login(tried[i], facts[i]);
    return logins;
  }

  static void look_at_host_keys(std::vector<LoginFacts>& facts, const std::vector<Login>& logins) {
    std::vector<std::size_t> places;
    std::vector<SshSettings> asked;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (logins[i].state != LoginState::key_unknown) continue;
      places.push_back(i);
      asked.push_back(facts[i].settings);
    }
    const std::vector<HostKeys> keys = scan_host_keys(asked);
    for (std::size_t k = 0; k < places.size(); ++k) facts[places[k]].keys = keys[k];
  }

  /// True where something was done that another attempt would show.
  bool mend(std::vector<LoginFacts>& facts, std::vector<Login>& logins) {
    bool trusted = false;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (logins[i].state != LoginState::key_unknown || facts[i].keys.lines.empty()) continue;
      trust_host_keys(facts[i].settings.known_hosts, facts[i].keys);
      for (const std::string& fingerprint : facts[i].keys.fingerprints)
        out_ << facts[i].host.name << ": trusts its host key from now on: " << fingerprint << "\n";
      trusted = true;
    }
    // Only now is it known who takes the key.
    if (trusted) logins = log_in(facts);
    const bool made = make_missing_keys(facts, logins);
    const bool sent = isatty(STDIN_FILENO) == 1 && send_keys(facts, logins);
    return made || sent;
  }

  bool make_missing_keys(std::vector<LoginFacts>& facts, const std::vector<Login>& logins) {
    bool made = false;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (logins[i].state != LoginState::key_missing) continue;
      UserKeys& keys = facts[i].user;
      keys = find_user_keys(facts[i].settings, keys.in_agent);
      if (!keys.any()) {
        make_key(keys.to_make);
        out_ << "made a key without a passphrase: " << keys.to_make << "\n";
        keys = find_user_keys(facts[i].settings, keys.in_agent);
      }
      made = true;
    }
    return made;
  }

  bool send_keys(const std::vector<LoginFacts>& facts, const std::vector<Login>& logins) {
    bool sent = false;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (logins[i].state != LoginState::key_refused && logins[i].state != LoginState::key_missing) continue;
      std::vector<std::string> words{"ssh-copy-id", "-o", "ConnectTimeout=5", "-o", "StrictHostKeyChecking=yes"};
      if (!facts[i].user.files.empty()) words.insert(words.end(), {"-i", facts[i].user.files.front()});
      const std::vector<std::string> target = ssh_target(facts[i].host);
      words.insert(words.end(), target.begin(), target.end());
      out_ << facts[i].host.name << ": " << join_text(words, " ") << std::endl;
      sent = run_at_terminal(words) == 0 || sent;
    }
    return sent;
  }

  void print(const std::vector<LoginFacts>& facts, const std::vector<Login>& logins) const {
    for (std::size_t i = 0; i < facts.size(); ++i) {
      const std::string port =
          facts[i].settings.port == 22 ? "" : " (port " + std::to_string(facts[i].settings.port) + ")";
      out_ << ssh_target(facts[i].host).back() << port << ": " << (works(logins[i]) ? "ok" : logins[i].problem) << "\n";
      std::istringstream lines(logins[i].mend);
      for (std::string line; std::getline(lines, line);) out_ << "    " << line << "\n";
    }
    const auto good = std::count_if(logins.begin(), logins.end(), works);
    const auto all = static_cast<std::ptrdiff_t>(logins.size());
    if (good == all) return;
    out_ << good << " of " << all << " other hosts let this user in";
    if (!context_.request.yes)
      out_ << "; --setup-ssh --yes makes keys, trusts host keys and, at a terminal, sends keys";
    out_ << "\n";
  }

  const LaunchContext& context_;
  std::ostream& out_;
  const std::vector<std::string> shell_;
  const std::string home_;
};

}  // namespace

int setup_ssh(const LaunchContext& context, const Streams& streams) { return Setup(context, streams).run(); }

}  // namespace ringrun
