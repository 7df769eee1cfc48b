#include "launcher/hosts/host_line.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "launcher/environment.hpp"
#include "launcher/hosts/name_ranges.hpp"
#include "lib/error.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

constexpr const char* kHostRemedy = "write a host as: name slots=2, user@name port=2222, or node[01-16]";

bool is_variable_name(const std::string& name) {
  const auto letter = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), letter);
}

template <std::size_t count>
bool is_one_of(const std::string& name, const std::array<const char*, count>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_name(const std::string& name, const std::string& word, const std::string& where) {
  if (name.empty()) throw UserError(where + ": '" + word + "' names no host", kHostRemedy);
  if (name.front() == '^' || name.front() == '+') {
    throw UserError(where + ": '" + word + "' names no host here",
                    name.front() == '^'
                        ? "'^host' leaves a host of the hostfile out: it stands alone, on a line or in -H"
                        : "'+n0' and '+e' choose among the hosts of a hostfile, by -H");
  }
  for (const char c : name) {
    const bool allowed =
        std::isalnum(static_cast<unsigned char>(c)) || std::string_view(".-_:%[],").find(c) != std::string_view::npos;
    if (!allowed) throw UserError(where + ": '" + word + "' is no host name: it has a '" + c + "'", kHostRemedy);
  }
  in6_addr address{};
  const std::string bare = name.substr(0, name.find('%'));
  if (name.find(':') != std::string::npos && inet_pton(AF_INET6, bare.c_str(), &address) != 1) {
    throw UserError(where + ": '" + word + "' is neither host:N nor an IPv6 address", kHostRemedy);
  }
  // The remote shell would read it as an option.
  if (name.front() == '-') throw UserError(where + ": '" + word + "' is no host name: it begins with '-'", kHostRemedy);
}

constexpr std::array kSlots = {"slots", "cpu", "count"};
constexpr std::array kMaxSlots = {"max_slots", "max-slots", "slots_max", "slots-max", "max_cpu",   "max-cpu",
                                  "cpu_max",   "cpu-max",   "max_count", "max-count", "count_max", "count-max"};
// The last is Hydra's.
constexpr std::array kUser = {"username", "user_name", "user-name", "user"};

bool is_address(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789.") == std::string::npos &&
         std::count(word.begin(), word.end(), '.') == 3;
}

/// mpirun passes over words that say nothing to it; a keyword without its value, or a second address, is a mistake to
/// it too (4.1.4).
void pass_over(Host& host, const std::string& word, const std::string& where) {
  const bool keyword =
      is_one_of(word, kSlots) || is_one_of(word, kMaxSlots) || is_one_of(word, kUser) || word == "port";
  if (keyword) throw UserError(where + ": '" + word + "' has no value", "write " + word + "=VALUE");
  const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("-_.").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (!plain || is_address(word)) {
    throw UserError(where + ": '" + word + "' behind a host is not understood",
                    "write one host a line, and slots=N, max_slots=N, username=NAME or port=N behind it");
  }
  const bool number = word.find_first_not_of("0123456789") == std::string::npos;
  host.warnings.push_back(where + ": '" + word + "' behind a host is passed over, as mpirun does" +
                          (number ? "; slots are written slots=" + word : ""));
}

/// Words of Hydra's and of older launchers that have another place here.
const char* remedy_for(const std::string& attribute) {
  if (attribute == "ifname") return "name the interface behind #: at the line's end: #: nic=NAME";
  if (attribute == "gpus" || attribute == "nic" || attribute == "via")
    return "it stands behind #: at the line's end, for ringrun alone";
  return "mpirun's are slots=, max_slots=, username=, port= (lower case); ringrun's own stand behind #: at the line's "
         "end";
}

/// "docker:NAME", by docker's own rule for names.
HostContainer parse_container(const std::string& text, const std::string& shown) {
  constexpr std::string_view kDocker = "docker:";
  if (text.compare(0, kDocker.size(), kDocker) != 0)
    throw UserError(shown + " is no way into a host that ringrun knows", "write via=docker:CONTAINER");
  const std::string name = text.substr(kDocker.size());
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("-_.").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (!plain || name.empty() || !std::isalnum(static_cast<unsigned char>(name[0])))
    throw UserError(shown + " names no container", "write its name or id as `docker ps` shows it: via=docker:node");
  return {name};
}

void apply_attribute(Host& host, const HostfileWord& word, const std::string& where) {
  if (!word.has_value) {
    pass_over(host, word.name, where);
  } else if (is_one_of(word.name, kSlots)) {
    if (host.slots)
      throw UserError(where + ": '" + word.name + "=" + word.value + "' says the slots a second time",
                      "leave one of them");
    // mpirun reads such a host and gives it nothing to do.
    host.slots = parse_count(word.name, word.value, 0, where);
  } else if (is_one_of(word.name, kMaxSlots)) {
    host.max_slots = parse_count(word.name, word.value, 1, where);
  } else if (is_one_of(word.name, kUser)) {
    if (word.value.empty()) throw UserError(where + ": '" + word.name + "=' has no value", "write username=NAME");
    host.user = word.value;
  } else if (word.name == "port") {
    host.port = parse_count("port", word.value, 1, where);
    if (*host.port > 65535) throw UserError(where + ": 'port=" + word.value + "' is above 65535", "write a TCP port");
  } else if (word.name == "binding") {
    // MPICH's Hydra reads it (4.0.2).
    host.warnings.push_back(where + ": 'binding=" + word.value +
                            "' is passed over; --bind-to says how ranks are bound");
  } else {
    throw UserError(where + ": '" + word.name + "=" + word.value + "' is no attribute of a host",
                    remedy_for(word.name));
  }
}

}  // namespace

int parse_count(const std::string& name, const std::string& text, int least, const std::string& where) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value < least) {
    throw UserError(
        where + ": '" + name + "=" + text + "' is not a whole number from " + std::to_string(least) + " upwards",
        "write for example " + name + "=" + std::to_string(std::max(least, 2)));
  }
  return value;
}

std::vector<Host> parse_host_word(const std::string& word, const std::string& where) {
  Host host;
  host.origin = where;
  std::string name = word;
  if (const std::size_t at = name.find('@'); at != std::string::npos) {
    host.user = name.substr(0, at);
    name.erase(0, at + 1);
    if (host.user->empty()) throw UserError(where + ": '" + word + "' has no user before the '@'", kHostRemedy);
    check_name(*host.user, word, where);
  }
  // An IPv6 address as URLs have it; a range of names has no colon.
  if (const std::size_t end = name.find(']'); name[0] == '[' && name.substr(0, end).find(':') != std::string::npos)
    name = name.substr(1, end - 1);
  // Two colons are an IPv6 address; one is the number of slots, which mpirun would read as part of the name.
  if (std::count(name.begin(), name.end(), ':') == 1) {
    const std::size_t colon = name.find(':');
    host.slots = parse_count("slots", name.substr(colon + 1), 1, where);
    name.erase(colon);
  }
  check_name(name, word, where);
  if (split_list(name).size() > 1) {
    throw UserError(where + ": '" + word + "' is several hosts", "write one host a line, or a range: node[01-03,20]");
  }
  std::vector<Host> hosts;
  try {
    for (std::string& each : expand_name(name)) {
      hosts.push_back(host);
      hosts.back().name = std::move(each);
    }
  } catch (const UserError& error) {
    throw UserError(where + ": " + error.what(), error.remedy());
  }
  return hosts;
}

std::vector<Host> parse_host_line(const HostfileLine& line, const std::string& where) {
  const std::vector<HostfileWord> words = split_words(line.text, where, false);
  if (words.empty()) return {};
  if (words[0].name == "rank" && words.size() > 1 && words[1].has_value) {
    throw UserError(where + ": 'rank " + words[1].name + "=" + words[1].value + "' is a line of a rankfile",
                    "a rankfile is given with --rankfile; a hostfile has one host a line: name slots=2");
  }
  if (words[0].has_value) {
    throw UserError(where + ": '" + words[0].name + "=" + words[0].value + "' stands where a host's name is expected",
                    kHostRemedy);
  }
  std::vector<Host> hosts = parse_host_word(words[0].name, where);
  // No host has so many, and ports above this are where people put a container's sshd.
  constexpr int kMoreThanSlots = 1024;
  for (Host& host : hosts) {
    if (host.slots.value_or(0) >= kMoreThanSlots) {
      throw UserError(where + ": '" + words[0].name + "' would be " + std::to_string(*host.slots) + " slots",
                      "a port is written " + host.name + " port=" + std::to_string(*host.slots) +
                          "; so many slots are written slots=" + std::to_string(*host.slots));
    }
    for (std::size_t i = 1; i < words.size(); ++i) apply_attribute(host, words[i], where);
    // A range says it once.
    if (&host != &hosts.front()) host.warnings.clear();
    if (host.max_slots && !host.slots) host.slots = host.max_slots;
    if (host.max_slots && *host.max_slots < *host.slots) {
      throw UserError(where + ": 'max_slots=" + std::to_string(*host.max_slots) + "' of '" + host.name +
                          "' is less than its slots=" + std::to_string(*host.slots),
                      "raise max_slots or lower slots");
    }
    if (line.has_attributes) host.attributes = parse_ringrun_attributes(line.attributes, where);
  }
  return hosts;
}

std::vector<std::string> parse_exclusion(const HostfileLine& line, const std::string& where) {
  const std::vector<HostfileWord> words = split_words(line.text, where, false);
  if (words.empty() || words[0].name.rfind('^', 0) != 0) return {};
  if (words.size() > 1 || words[0].has_value || line.has_attributes) {
    throw UserError(where + ": '" + words[0].name + "' stands alone on its line", "write ^node7, or ^node[03-05]");
  }
  std::vector<std::string> names;
  for (const Host& host : parse_host_word(words[0].name.substr(1), where)) {
    if (host.slots || host.user) {
      throw UserError(where + ": '" + words[0].name + "' is more than a name", "write ^node7, or ^node[03-05]");
    }
    names.push_back(host.name);
  }
  return names;
}

HostAttributes parse_ringrun_attributes(const std::string& text, const std::string& where) {
  constexpr const char* kRemedy = "behind #: stand nic=NAME, gpus=0,2, via=docker:CONTAINER and env.NAME=VALUE";
  HostAttributes attributes;
  for (const HostfileWord& word : split_words(text, where, true)) {
    const std::string shown = "'" + word.name + (word.has_value ? "=" + word.value : "") + "'";
    if (!word.has_value) throw UserError(where + ": " + shown + " behind #: has no value", kRemedy);
    if (word.name == "nic" && !word.value.empty()) {
      attributes.nic = word.value;
    } else if (word.name == "gpus") {
      try {
        attributes.gpus = parse_cpu_list(word.value);
      } catch (const UserError&) {
        throw UserError(where + ": " + shown + " is not a list of GPUs", "write for example gpus=0,2 or gpus=0-3");
      }
      if (attributes.gpus->empty())
        throw UserError(where + ": " + shown + " lists no GPU", "write for example gpus=0,2");
      check_named_once(*attributes.gpus, where + ": " + shown);
    } else if (word.name == "via") {
      attributes.container = parse_container(word.value, where + ": " + shown);
    } else if (word.name.rfind("env.", 0) == 0 && is_one_of(word.name.substr(4), kRankVariables)) {
      throw UserError(where + ": " + shown + " behind #: would give every rank the same",
                      "leave it off: every rank gets its own value");
    } else if (word.name.rfind("env.", 0) == 0 && is_variable_name(word.name.substr(4))) {
      attributes.environment.insert_or_assign(word.name.substr(4), word.value);
    } else {
      throw UserError(where + ": " + shown + " behind #: is not understood", kRemedy);
    }
  }
  check_gpus_said_once(attributes, where);
  return attributes;
}

void check_named_once(std::vector<int> gpus, const std::string& shown) {
  std::sort(gpus.begin(), gpus.end());
  const auto twice = std::adjacent_find(gpus.begin(), gpus.end());
  if (twice == gpus.end()) return;
  throw UserError(shown + " names GPU " + std::to_string(*twice) + " twice: CUDA would show none of them",
                  "name each GPU once; --share-gpu lets several ranks use it");
}

void check_gpus_said_once(const HostAttributes& attributes, const std::string& where) {
  if (!attributes.gpus || attributes.environment.count(kVisibleDevices) == 0) return;
  throw UserError(where + ": 'gpus=' and 'env.CUDA_VISIBLE_DEVICES=' both say which GPUs the host uses",
                  "leave one of them; gpus= sets the variable");
}

}  // namespace ringrun
