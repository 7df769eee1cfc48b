#include "launcher/engine/mapping.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "lib/error.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

constexpr std::array kObjects = {"hwthread", "core", "l1cache", "l2cache", "l3cache", "package", "numa", "board"};

bool is_object(const std::string& word) { return std::find(kObjects.begin(), kObjects.end(), word) != kObjects.end(); }

/// Open MPI 4 says socket, Open MPI 5 package.
std::string object_of(const std::string& word) {
  const std::string lower = lower_case(word);
  return lower == "socket" ? "package" : lower;
}

int count_of(const std::string& text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() ? value : 0;
}

template <typename Value>
void say(std::optional<Value>& target, const Value& value, const std::string& option) {
  if (target && *target != value) throw UserError(option + " contradicts another option", "leave one of them");
  target = value;
}

void say_by(Mapping& mapping, const std::string& by, const std::string& option) {
  if (!mapping.by.empty() && mapping.by != by) {
    throw UserError(option + " contradicts another option: ranks are to be mapped by " + mapping.by + " and by " + by,
                    "leave one of them");
  }
  mapping.by = by;
}

/// Of one text between colons, commas part modifiers in Open MPI 4; a list of CPUs or a file's name may hold some.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string& field : split_text(text, ':')) {
    const std::string lower = lower_case(field);
    if (lower.rfind("pe-list=", 0) == 0 || lower.rfind("file=", 0) == 0) {
      parts.push_back(field);
    } else {
      for (const std::string& word : split_text(field, ',')) parts.push_back(word);
    }
  }
  return parts;
}

bool add_modifier(Mapping& mapping, const std::string& word, const std::string& option) {
  const std::string lower = lower_case(word);
  if (lower == "span") {
    mapping.span = true;
  } else if (lower == "oversubscribe") {
    mapping.oversubscribe = true;
  } else if (lower == "nooversubscribe") {
    mapping.never_oversubscribe = true;
  } else if (lower == "nolocal") {
    mapping.no_local = true;
  } else if (lower == "hwtcpus") {
    mapping.hardware_threads = true;
  } else if (lower.rfind("pe=", 0) == 0 && count_of(lower.substr(3)) > 0) {
    say(mapping.cpus_per_rank, count_of(lower.substr(3)), option);
  } else if (lower.rfind("file=", 0) == 0) {
    say(mapping.file, word.substr(5), option);
  } else {
    return lower == "corecpus";  // the default
  }
  return true;
}

[[noreturn]] void reject(const std::string& option, const std::string& text, const std::string& word) {
  throw UserError(option + " '" + text + "': '" + word + "' is not known",
                  "one of slot, node, core, numa, l3cache, package (or socket), ppr:N:OBJECT, seq, rankfile, with "
                  ":pe=N :span :oversubscribe :nooversubscribe :nolocal :hwtcpus behind it");
}

}  // namespace

bool Mapping::says_where() const {
  return !by.empty() || rank_by || span || no_local || cpus_per_rank || cpu_set || hardware_threads;
}

void add_map_by(Mapping& mapping, const std::string& option, const std::string& text) {
  std::vector<std::string> parts = parts_of(text);
  if (text.empty()) reject(option, text, text);
  const std::string policy = object_of(parts[0]);
  std::size_t next = 1;
  if (policy == "ppr" || policy == "dist") {
    const std::size_t words = policy == "ppr" ? 3 : 2;
    if (parts.size() < words) reject(option, text, text);
    std::string by = policy;
    for (std::size_t i = 1; i < words; ++i) by += ":" + object_of(parts[i]);
    if (policy == "ppr" && (count_of(parts[1]) < 1 || !(is_object(object_of(parts[2])) || by.ends_with(":node"))))
      reject(option, text, by);
    say_by(mapping, by, option);
    next = words;
  } else if (policy.rfind("pe-list=", 0) == 0 || policy == "slot" || policy == "node" || policy == "seq" ||
             policy == "rankfile" || is_object(policy)) {
    say_by(mapping, policy, option);
  } else if (!policy.empty() && !add_modifier(mapping, parts[0], option)) {
    reject(option, text, parts[0]);
  }
  for (; next < parts.size(); ++next) {
    if (!add_modifier(mapping, parts[next], option)) reject(option, text, parts[next]);
  }
  if (mapping.by == "rankfile" && !mapping.file) reject(option, text, "rankfile without file=");
  if (mapping.oversubscribe && mapping.never_oversubscribe)
    throw UserError(option + " '" + text + "' both allows and forbids more ranks than slots", "leave one of them");
}

std::string parse_rank_by(const std::string& text) {
  std::string result;
  for (const std::string& word : split_text(text, ':')) {
    const std::string part = object_of(word);
    const bool known = is_object(part) || part == "slot" || part == "node" || part == "fill" || part == "span";
    if (!known) {
      throw UserError("--rank-by '" + text + "': '" + word + "' is not known",
                      "one of slot, node, fill, span; Open MPI 4 knows core, numa, package (or socket) too");
    }
    result += (result.empty() ? "" : ":") + part;
  }
  return result;
}

std::string parse_bind_to(const std::string& text) {
  const std::vector<std::string> words = split_text(text, ':');
  const std::string target = object_of(words[0]);
  if (!is_object(target) && target != "none" && target != "cpu-list") {
    throw UserError("--bind-to '" + text + "' is not known", "one of none, hwthread, core, l3cache, package, numa");
  }
  std::string result = target;
  for (std::size_t i = 1; i < words.size(); ++i) result += ":" + lower_case(words[i]);
  return result;
}

int ranks_per_node(const Mapping& mapping) {
  const std::vector<std::string> words = split_text(mapping.by, ':');
  return words.size() == 3 && words[0] == "ppr" && words[2] == "node" ? count_of(words[1]) : 0;
}

}  // namespace ringrun
