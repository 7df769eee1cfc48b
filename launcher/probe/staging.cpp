#include "launcher/probe/staging.hpp"

#include <sys/utsname.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "launcher/probe/remote_shell.hpp"
#include "launcher/run/capture.hpp"
#include "lib/error.hpp"
#include "lib/host/program_facts.hpp"
#include "lib/text/shell_word.hpp"

namespace ringrun {
namespace {

constexpr const char* kLibraryMark = "RINGRUN-LIBC ";
constexpr const char* kPathMark = "RINGRUN-PATH ";
// Each copy is some megabytes in memory and on the way.
constexpr int kAtOnce = 32;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || content.empty()) throw SystemError("read " + path, "it cannot be copied to other hosts", 0);
  return content;
}

/// What follows the mark at the beginning of a line, "" where there is none.
std::string behind(const std::string& mark, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(mark, 0) == 0) return line.substr(mark.size());
  }
  return {};
}

/// Reads the copy from its input only where it is not there yet, and lets it appear under its name only when whole.
std::string script(const std::string& build, std::size_t bytes) {
  const std::string cache = "umask 077; c=\"${XDG_CACHE_HOME:-$HOME/.cache}/ringrun\"; d=\"$c/" + build + "\"; ";
  const std::string libc = std::string("echo \"") + kLibraryMark + "$(getconf GNU_LIBC_VERSION) $(uname -m)\"; ";
  // Another user's folder under this name, where the cache is shared, would be another user's program.
  const std::string folder =
      "mkdir -p \"$d\" && [ -O \"$c\" ] && [ -O \"$d\" ] && [ ! -L \"$d\" ] && chmod 700 \"$c\" \"$d\" || "
      "{ echo \"$d belongs to somebody else\" >&2; exit 1; }; ";
  const std::string copy =
      "if [ ! -x \"$d/ringrun\" ]; then t=$(mktemp \"$d/new.XXXXXX\") && cat >\"$t\" && [ $(wc -c <\"$t\") -eq " +
      std::to_string(bytes) + " ] && chmod 700 \"$t\" && mv \"$t\" \"$d/ringrun\" || { rm -f \"$t\"; exit 1; }; fi; ";
  // Builds that no launch has used for a month; every launch that needs a copy comes by here.
  const std::string old =
      "touch \"$d\"; find \"$c\" -mindepth 1 -maxdepth 1 -type d -name '[0-9a-f][0-9a-f][0-9a-f][0-9a-f]*' -mtime +30 "
      "-exec rm -rf {} + 2>/dev/null; ";
  return cache + libc + folder + copy + old + "echo \"" + kPathMark + "$d/ringrun\"";
}

/// "2.36" as 2036, 0 for what is no version.
int version_number(const std::string& text) {
  int major = 0;
  int minor = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return 0;
  std::from_chars(first.ptr + 1, end, minor);
  return major * 1000 + minor;
}

}  // namespace

std::string staging_obstacle(const std::string& said, const std::string& needs_glibc, const std::string& machine) {
  std::istringstream words(behind(kLibraryMark, said));
  std::string library;
  std::string version;
  std::string host_machine;
  words >> library >> version >> host_machine;
  if (library != "glibc") return "ringrun is missing there, and cannot be copied to a host without the GNU C library";
  if (host_machine != machine)
    return "ringrun is missing there, and this one is for " + machine + ", not " + host_machine;
  if (version_number(version) >= version_number(needs_glibc)) return {};
  return "ringrun is missing there, and this one needs GLIBC_" + needs_glibc + "; that host has glibc " + version;
}

std::vector<StagedCopy> stage_program(const std::vector<std::string>& shell, const HostList& hosts,
                                      const std::string& program, const std::string& build, int timeout_seconds) {
  const std::string content = read_file(program);
  HostQuestion question;
  question.program = program;
  const std::string needs_glibc = read_program_facts(question).needs_glibc;
  utsname system{};
  uname(&system);
  std::vector<CaptureCommand> commands;
  for (const Host& host : hosts) {
    commands.push_back({remote_command(shell, host, {"/bin/sh -c " + quote_for_shell(script(build, content.size()))}),
                        content, std::chrono::seconds(timeout_seconds), true});
  }
  std::vector<StagedCopy> copies;
  for (const Captured& captured : capture_all(commands, kAtOnce)) {
    StagedCopy copy;
    const bool answered = !behind(kLibraryMark, captured.out).empty();
    if (answered) copy.why_not = staging_obstacle(captured.out, needs_glibc, system.machine);
    if (copy.why_not.empty()) copy.path = behind(kPathMark, captured.out);
    if (copy.path.empty() && copy.why_not.empty())
      copy.why_not = "ringrun is missing there, and the copy did not arrive\n" + captured.err;
    copies.push_back(std::move(copy));
  }
  return copies;
}

}  // namespace ringrun
