#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"

namespace ringrun {
namespace {

/// What a remote shell's last words mean.
struct ShellWords {
  std::string_view words;
  std::string_view why;
  /// {host} is the name with its user, {name} without, {address} the address or name alone, {port} " -p PORT" or "",
  /// {number} the port.
  std::string_view fix;
  /// `ringrun --setup-ssh` says it for every host, and does it.
  bool by_setup = false;
};

constexpr std::string_view kChangedKey =
    "The host shows another key than before: it was set up anew, or another host answers in its place.";
constexpr std::string_view kForgetKey =
    "# only where you know why it changed:\nssh-keygen -R '{known}'   # then once by hand:\nssh{port} {host} true";

constexpr std::array kShellWords = {
    ShellWords{"REMOTE HOST IDENTIFICATION HAS CHANGED", kChangedKey, kForgetKey},
    // All that is left where the words are cut at their front; the next line says that the verification failed.
    ShellWords{"has changed and you have requested strict checking", kChangedKey, kForgetKey},
    ShellWords{"Host key verification failed",
               "This host's key is not known here, and nobody can be asked while a job starts.",
               "ssh-keyscan{port} {name} >> ~/.ssh/known_hosts\n# or once by hand:\nssh{port} {host} true", true},
    ShellWords{"Permission denied", "The host accepts none of this user's keys.",
               "ssh-copy-id{port} {host}   # before that, where there is no key yet: ssh-keygen -t ed25519\n"
               "# another user: in the hostfile, username=NAME",
               true},
    ShellWords{"Too many authentication failures", "The agent offers too many keys before the right one.",
               "ssh-copy-id{port} {host}\n# and in ~/.ssh/config: IdentitiesOnly yes"},
    ShellWords{"Connection refused", "The host is up, but no sshd listens on port {number}.",
               "# on that host:\nsudo service ssh start\n# where its sshd has another port, in the hostfile:\n"
               "{host} port=2222"},
    ShellWords{"Could not resolve hostname", "The name is unknown here.",
               "# write the address into the hostfile, or into /etc/hosts:\necho 'ADDRESS {address}' | sudo tee -a "
               "/etc/hosts"},
    ShellWords{"Name or service not known", "The name is unknown here.",
               "# write the address into the hostfile, or into /etc/hosts:\necho 'ADDRESS {address}' | sudo tee -a "
               "/etc/hosts"},
    ShellWords{"No route to host", "The host is down, or has another address, or a firewall rejects.",
               "ping -c 1 {address}; ip neigh show {address}"},
    ShellWords{"Network is unreachable", "There is no way from here to that address.", "ip route get {address}"},
    ShellWords{"during banner exchange",
               "Something took the connection to port {number} and did not say that it is an sshd: another program "
               "listens there, or one that hangs, or the host is too busy to answer.",
               "# on that host, what holds the port:\nsudo ss -ltnp 'sport = :{number}'\n# where its sshd has another "
               "port, in the hostfile:\n{host} port=2222"},
    ShellWords{"timed out", "The host is down, or has another address, or a firewall drops.",
               "ping -c 1 {address}\n# where its sshd has another port, in the hostfile:\n{host} port=2222"},
    ShellWords{"Connection closed by", "The sshd there hung up: too many at once (MaxStartups), or not allowed.",
               "# on that host:\nsudo journalctl -u ssh -n 20"},
    ShellWords{"kex_exchange_identification",
               "The sshd there hung up: too many at once (MaxStartups), or no sshd at all.",
               "# on that host:\nsudo journalctl -u ssh -n 20"},
};

std::string filled(std::string_view text, const HostView& host) {
  const std::string bare = host.name.substr(host.name.find('@') + 1);
  const std::string address = host.address.empty() ? bare : host.address;
  const std::string number = std::to_string(host.port.value_or(22));
  return fmt::format(fmt::runtime(text), fmt::arg("host", host.name), fmt::arg("name", bare),
                     fmt::arg("address", address), fmt::arg("port", host.port ? " -p " + number : std::string()),
                     fmt::arg("number", number), fmt::arg("known", host.port ? "[" + bare + "]:" + number : bare));
}

std::string by_hand(const HostView& host) {
  return host.try_by_hand.empty() ? "" : "\n# to see it yourself:\n" + host.try_by_hand;
}

/// An address that docker gives to a bridge is reached from its own host alone.
std::string bridge_hint(const HostView& host) {
  if (!contains({"172.16.0.0", 12}, host.address)) return {};
  return "\n# " + host.address +
         " looks like a container's address on docker's bridge, which nothing outside its host can reach (C1): start "
         "the container with\ndocker run --network host --gpus all --shm-size=1g IMAGE\n# with an sshd on its own port "
         "inside (/usr/sbin/sshd -p 2222), and name the docker host's address (that of its network card) in the "
         "hostfile:\nADDRESS port=2222";
}

Finding finding_of(const HostView& host, const std::string& why, const std::string& fix) {
  std::string evidence = host.agent_words;
  while (!evidence.empty() && (evidence.back() == '\n' || evidence.back() == '\r')) evidence.pop_back();
  if (evidence.empty()) evidence = "the remote shell ended without a word";
  if (!host.origin.empty()) evidence += "\n(named in " + host.origin + ")";
  return {"L1", Severity::error, {host.name}, evidence, why, fix + bridge_hint(host) + by_hand(host), ""};
}

/// Before what mends one host by hand: what mends all of them.
std::string by_setup(const Situation& situation, const std::string& by_hand) {
  if (situation.setup_ssh.empty()) return by_hand;
  return situation.setup_ssh + "   # says what each host lacks; with --yes it mends that\n# or by hand:\n" + by_hand;
}

Finding no_shell(const HostView& host) {
  return finding_of(host, "There is no remote shell here to reach other hosts with.",
                    "sudo apt-get install -y openssh-client");
}

Finding shell_failed(const Situation& situation, const HostView& host) {
  for (const ShellWords& known : kShellWords) {
    if (!contains_word(host.agent_words, known.words)) continue;
    const std::string fix = filled(known.fix, host);
    return finding_of(host, filled(known.why, host), known.by_setup ? by_setup(situation, fix) : fix);
  }
  return finding_of(host, "The remote shell failed before anything ran on that host.",
                    filled("ssh{port} {host} true", host));
}

/// The host with what it was waited for among its words.
HostView waited_for(const HostView& host) {
  HostView said = host;
  const std::string waited = fmt::format("nothing came for {:.2g} s", host.waited);
  said.agent_words = host.agent_words.empty() ? waited : waited + ", after: " + host.agent_words;
  return said;
}

Finding silent(const Situation& situation, const HostView& host) {
  const std::string key = situation.setup_ssh.empty() ? filled("ssh-copy-id{port} {host}", host) : situation.setup_ssh;
  return finding_of(
      waited_for(host),
      "The remote shell may be asking for a password or a host's key where nobody sees it, the host may "
      "be down, or its login scripts may wait.",
      filled("ssh{port} -o BatchMode=yes -o ConnectTimeout=5 {host} true\n# asks for a password: ", host) + key +
          "\n# slow logins: ringrun --start-timeout 60 …");
}

Finding own_agent_failed(const HostView& host) {
  return finding_of(host,
                    "No remote shell is needed there: ringrun's own process on this host failed before it answered.",
                    contains_word(host.agent_words, "Resource temporarily unavailable")
                        ? "ulimit -u   # processes and threads that this user may have; ps -L -u $USER lists them"
                        : "ringrun --version   # does it run at all?");
}

Finding no_step(const HostView& host) {
  const bool silent = host.fault == AgentFault::silent;
  return finding_of(silent ? waited_for(host) : host,
                    "Slurm starts no step on that node: its slurmd may be down, or this allocation has ended.",
                    "sinfo --Node --long --nodes=" + host.name + "; squeue --me" +
                        (silent ? "\n# slow starts: ringrun --start-timeout 60 …" : ""));
}

}  // namespace

void find_remote_shell_faults(const Situation& situation, Findings& out) {
  for (const HostView& host : situation.hosts) {
    if (situation.through_slurm && (host.fault == AgentFault::shell_failed || host.fault == AgentFault::silent)) {
      out.push_back(no_step(host));
      continue;
    }
    switch (host.fault) {
      case AgentFault::no_shell:
        out.push_back(no_shell(host));
        break;
      case AgentFault::shell_failed:
        out.push_back(shell_failed(situation, host));
        break;
      case AgentFault::silent:
        out.push_back(silent(situation, host));
        break;
      case AgentFault::broken:
        if (host.local) {
          out.push_back(own_agent_failed(host));
          break;
        }
        out.push_back(finding_of(host, "The shell works, but what answered there is not ringrun's agent.",
                                 "# login scripts (~/.bashrc, ~/.profile) must not print or ask anything"));
        break;
      case AgentFault::none:
      case AgentFault::no_container:
      case AgentFault::no_program:
      case AgentFault::other_version:
        break;
    }
  }
}

}  // namespace ringrun
