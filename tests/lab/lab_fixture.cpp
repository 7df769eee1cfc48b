#include "tests/lab/lab_fixture.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/support/cannot_run.hpp"

namespace ringrun::test {
namespace {

const std::string lab_program = RINGRUN_SOURCE_DIR "/tests/lab/lab";

CommandResult lab_command(const LabHolder& lab, std::vector<std::string> words, std::chrono::seconds timeout) {
  words.insert(words.begin(), {lab_program, "--lab", lab.folder()});
  CommandOptions options;
  options.cwd = RINGRUN_BIN_DIR;
  options.timeout = timeout;
  return run_command(words, options);
}

std::vector<std::string> launch_environment(bool agent) {
  // The hosts share the machine's cores: Open MPI (4.1 and 5) would bind the first rank of each to the same one.
  std::vector<std::string> words;
  for (const char* setting : {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                              "OMPI_MCA_hwloc_base_binding_policy=none", "PRTE_MCA_hwloc_default_binding_policy=none"})
    words.insert(words.end(), {"--env", setting});
  // Open MPI 5 does not look at the name that 4.1 knows.
  for (const char* name : {"OMPI_MCA_plm_rsh_agent=", "PRTE_MCA_plm_ssh_agent="})
    if (agent) words.insert(words.end(), {"--env", name + std::string(RINGRUN_SOURCE_DIR "/tests/lab/remote-shell")});
  return words;
}

CommandResult run_on(const LabHolder& lab, const std::string& host, const std::vector<std::string>& argv, bool agent,
                     std::chrono::seconds timeout) {
  std::vector<std::string> words{"on", host};
  const auto environment = launch_environment(agent);
  words.insert(words.end(), environment.begin(), environment.end());
  words.push_back("--");
  words.insert(words.end(), argv.begin(), argv.end());
  return lab_command(lab, words, timeout);
}

std::string what_is_missing(const LabShape& shape) {
  if (geteuid() != 0) return "the lab needs root (namespaces with interfaces)";
  std::vector<std::pair<const char*, const char*>> tools{{"unshare", "util-linux"},
                                                         {"nsenter", "util-linux"},
                                                         {"ip", "iproute2"},
                                                         {"perl", "perl-base"},
                                                         {"mpirun", "openmpi-bin"}};
  if (shape.slurm)
    tools.insert(tools.end(), {{"munged", "munge"}, {"slurmctld", "slurm-wlm"}, {"slurmd", "slurm-wlm"}});
  for (const auto& [tool, package] : tools) {
    if (run_command({"sh", "-c", std::string("PATH=$PATH:/usr/sbin:/sbin command -v ") + tool}).exit_code != 0)
      return std::string("the lab needs ") + tool + "; install " + package;
  }
  return {};
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

bool wait_until(const std::function<bool()>& answer, std::chrono::seconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (!answer()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

std::unique_ptr<LabHolder> Lab::lab;
LabShape Lab::lab_shape;
std::string Lab::missing;

Lab::Job::Job(std::string output_file, std::future<CommandResult> result)
    : output_file_(std::move(output_file)), result_(std::move(result)) {}

std::string Lab::Job::output() const { return read_file(output_file_); }

bool Lab::Job::wait_for_output(const std::string& text, std::chrono::seconds deadline) const {
  return wait_until([&] { return output().find(text) != std::string::npos; }, deadline);
}

CommandResult Lab::Job::finish() {
  CommandResult result = result_.get();
  result.out = output();
  return result;
}

void Lab::bring_up(const LabShape& shape) {
  if (lab && lab_shape == shape) return;
  lab.reset();
  missing = what_is_missing(shape);
  if (!missing.empty()) return;
  try {
    lab = std::make_unique<LabHolder>(shape);
    lab_shape = shape;
  } catch (const std::runtime_error& error) {
    missing = error.what();
    return;
  }
  if (!shape.slurm) return;
  const auto started = lab_command(*lab, {"slurm", "start"}, std::chrono::seconds(60));
  if (started.exit_code != 0) missing = started.err;
}

void Lab::bring_up_with_open_mpi(int generation, int hosts) {
  const std::string debian_13 = RINGRUN_SOURCE_DIR "/build/fresh/trixie.lab";
  const LabShape shape{.hosts = hosts, .root = generation == 5 ? debian_13 : ""};
  if (lab && lab_shape == shape) return;
  lab.reset();
  if (generation == 5 && !std::filesystem::is_directory(debian_13)) {
    missing = "no hosts with Open MPI 5; make them with tools/lab_root";
  } else if (generation == 4 && run_command({"mpirun", "--version"}).out.find("(Open MPI) 4.") == std::string::npos) {
    missing = "this machine's Open MPI is not 4; Debian 12 has 4.1";
  } else {
    bring_up(shape);
  }
}

void Lab::TearDownTestSuite() { lab.reset(); }

void Lab::SetUp() {
  if (!missing.empty()) RINGRUN_CANNOT_RUN(missing);
}

void Lab::TearDown() {
  if (!lab || expect_no_process_left()) return;
  // What a failed test left must not fail the next one. The docker engine is not among these processes and stays.
  for (const auto& host : hosts()) {
    std::vector<std::string> kill{"kill", "-KILL"};
    for (const auto& line : processes(host)) kill.push_back(line.substr(0, line.find(' ')));
    if (kill.size() > 2) on(host, kill);
  }
}

CommandResult Lab::on(const std::string& host, const std::vector<std::string>& argv, std::chrono::seconds timeout) {
  return run_on(*lab, host, argv, true, timeout);
}

CommandResult Lab::on_with_ssh(const std::string& host, const std::vector<std::string>& argv,
                               std::chrono::seconds timeout) {
  return run_on(*lab, host, argv, false, timeout);
}

namespace {

/// A new file under the lab's folder and the command that writes both its streams there.
std::pair<std::string, std::vector<std::string>> with_output_file(const std::vector<std::string>& argv) {
  static int number = 0;
  const std::string name = "job." + std::to_string(++number);
  std::vector<std::string> words{"bash", "-c", "exec \"$@\" >/run/lab/" + name + " 2>&1", "bash"};
  words.insert(words.end(), argv.begin(), argv.end());
  return {name, words};
}

}  // namespace

Lab::Job Lab::start(const std::string& host, const std::vector<std::string>& argv) {
  const auto [name, words] = with_output_file(argv);
  shared_file(name, "");
  return {lab->folder() + "/" + name, std::async(std::launch::async, &Lab::on, host, words, std::chrono::seconds(60))};
}

Lab::Job Lab::start_with_ssh(const std::string& host, const std::vector<std::string>& argv) {
  const auto [name, words] = with_output_file(argv);
  shared_file(name, "");
  return {lab->folder() + "/" + name,
          std::async(std::launch::async, &Lab::on_with_ssh, host, words, std::chrono::seconds(60))};
}

std::vector<std::string> Lab::hosts() {
  std::vector<std::string> names;
  for (int host = 0; host < lab_shape.hosts; ++host)
    names.push_back(host < 26 ? std::string(1, static_cast<char>('a' + host)) : "h" + std::to_string(host));
  return names;
}

std::vector<std::string> Lab::processes(const std::string& host) {
  const auto result = lab_command(*lab, {"processes", host}, std::chrono::seconds(20));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<std::string> lines;
  std::istringstream text(result.out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

namespace {

/// Asks for a host's processes until one is right; its pid, and empty after 20 s.
std::string wait_for_process(const std::function<std::vector<std::string>()>& processes,
                             const std::function<bool(const std::string& program, const std::string& word)>& is_right) {
  std::string found;
  wait_until(
      [&] {
        for (const auto& line : processes()) {
          std::string pid, path, word;
          std::istringstream(line) >> pid >> path >> word;
          if (found.empty() && is_right(path.substr(path.rfind('/') + 1), word)) found = pid;
        }
        return !found.empty();
      },
      std::chrono::seconds(20));
  return found;
}

}  // namespace

std::string Lab::pid_of(const std::string& host, const std::string& program) {
  const auto found = wait_for_process([&] { return processes(host); },
                                      [&](const std::string& name, const std::string&) { return name == program; });
  EXPECT_FALSE(found.empty()) << "no " << program << " on " << host;
  return found;
}

std::string Lab::launcher_pid(const std::string& host) {
  // Its own entries are words like __rank.
  const auto found = wait_for_process(
      [&] { return processes(host); },
      [](const std::string& name, const std::string& word) { return name == "ringrun" && word.rfind("__", 0) != 0; });
  EXPECT_FALSE(found.empty()) << "no ringrun on " << host;
  return found;
}

void Lab::send_signal(const std::string& host, const std::string& signal, const std::string& pid) {
  const auto result = on(host, {"kill", "-" + signal, pid});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

bool Lab::expect_no_process_left(std::chrono::seconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  bool none = true;
  for (const auto& host : hosts()) {
    std::vector<std::string> left = processes(host);
    while (!left.empty() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      left = processes(host);
    }
    for (const auto& line : left) ADD_FAILURE() << "left on " << host << ": " << line;
    none = none && left.empty();
  }
  return none;
}

void Lab::start_sshd(const std::string& host, int port) {
  const auto result = lab_command(*lab, {"sshd", host, std::to_string(port)}, std::chrono::seconds(20));
  ASSERT_EQ(result.exit_code, 0) << result.err;
}

std::string Lab::shared_file(const std::string& name, const std::string& text) {
  std::ofstream(lab->folder() + "/" + name) << text;
  return "/run/lab/" + name;
}

}  // namespace ringrun::test
