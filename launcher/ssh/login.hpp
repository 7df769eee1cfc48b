#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/host_list.hpp"
#include "launcher/run/capture.hpp"
#include "launcher/ssh/host_keys.hpp"
#include "launcher/ssh/ssh_settings.hpp"
#include "launcher/ssh/user_keys.hpp"

namespace ringrun {

enum class LoginState {
  works,
  key_unknown,  ///< this host does not know that one's key yet
  key_changed,  ///< that one shows another key than before
  key_refused,  ///< that one takes none of this user's keys
  key_missing,  ///< this user has none
  key_locked,   ///< each asks for a passphrase, and no agent holds one
  other
};

/// How a login without anybody to ask ended.
struct Login {
  LoginState state = LoginState::other;
  /// What is wrong, as a sentence without its end; "" where it works.
  std::string problem;
  /// Commands that mend it, one a line.
  std::string mend;
};

/// What is known of a host and of this user besides.
struct LoginFacts {
  Host host;
  SshSettings settings;
  UserKeys user;
  /// Where its key is unknown.
  HostKeys keys;
  std::string home;
};

/// Logs in to every host at once, as a job would: nobody is asked for a password, a passphrase or a host's key.
std::vector<Captured> try_logins(const std::vector<std::string>& shell, const HostList& hosts);

/// What an attempt means. Pure.
Login read_login(const Captured& tried, const LoginFacts& facts);

}  // namespace ringrun
