#include "tests/lab/network_lab.hpp"

#include <gmock/gmock.h>

#include <iostream>
#include <regex>
#include <sstream>

#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::Not;

/// Among the distribution's own programs, where the lab's scripts look for them.
bool is_installed(const std::string& program) {
  return run_command({"sh", "-c", "PATH=/usr/sbin:/usr/bin:/sbin:/bin; command -v " + program}).exit_code == 0;
}

const std::string sweep_words[] = {"./worker", "-b", "8", "-e", "256K", "-f", "2", "-n", "2", "-N", "1"};
constexpr long long lowest = 8;
constexpr long long highest = 256 << 10;

}  // namespace

std::map<std::string, FindingText> findings_in(const std::string& text) {
  static const std::regex head("ringrun: (error|warning|note) ([A-Z]+[0-9]*[a-z]?)( on ([^:]*))?: .*");
  std::map<std::string, FindingText> found;
  FindingText* block = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, head)) {
      const auto [at, is_new] = found.try_emplace(match[2], FindingText{match[1], match[4], line + "\n"});
      block = is_new ? &at->second : nullptr;
    } else if (!line.empty() && line[0] == ' ') {
      if (block != nullptr) block->text += line + "\n";
    } else {
      block = nullptr;
    }
  }
  return found;
}

std::string why_no_docker() {
  for (const char* program : {"dockerd", "docker-init", "docker"})
    if (!is_installed(program))
      return std::string("the lab needs ") + program + "; install docker.io (Debian 13: and docker-cli)";
  return {};
}

void NetworkLab::SetUpTestSuite() {
  Lab::SetUpTestSuite();
  if (missing.empty() && !is_installed("nft")) missing = "the lab needs nft; install nftables";
}

HostChange NetworkLab::change(const std::string& host, std::vector<std::string> thing) {
  return {*lab, host, std::move(thing)};
}

HostChange NetworkLab::file(const std::string& host, const std::string& path, const std::string& text) {
  static int number = 0;
  return change(host, {"file", path, shared_file("file." + std::to_string(++number), text)});
}

std::string NetworkLab::hostfile(const std::string& lines) {
  static int number = 0;
  return shared_file("hostfile." + std::to_string(++number), lines);
}

std::vector<std::string> NetworkLab::sweep_command(const std::vector<std::string>& options, const std::string& hosts) {
  std::vector<std::string> words{built_program("ringrun"), "-v"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"-np", "2", "-hostfile", hosts});
  words.insert(words.end(), std::begin(sweep_words), std::end(sweep_words));
  return words;
}

CommandResult NetworkLab::sweep(const std::vector<std::string>& options, const std::string& hosts) {
  return on("a", sweep_command(options, hosts), std::chrono::seconds(30));
}

CommandResult NetworkLab::sweep_with_ssh(const std::vector<std::string>& options, const std::string& hosts) {
  return on_with_ssh("a", sweep_command(options, hosts), std::chrono::seconds(30));
}

CommandResult NetworkLab::plain_mpirun() {
  std::vector<std::string> words{"mpirun", "-np", "2", "-hostfile", "hostfiles/ab"};
  words.insert(words.end(), std::begin(sweep_words), std::end(sweep_words));
  return on("a", words, std::chrono::seconds(20));
}

void NetworkLab::expect_right_sweep(const CommandResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  expect_right_rows(result.out, lowest, highest);
}

void NetworkLab::expect_right_sweep_over_the_lan(const CommandResult& result) {
  expect_right_sweep(result);
  const std::string said = result.out + result.err;
  EXPECT_THAT(said, ContainsRegex(std::string("ringrun: ") + host_a + " uses eth0 192\\.168\\.1\\.5"));
  EXPECT_THAT(said, ContainsRegex(std::string("ringrun: ") + host_b + " uses enp3s0 192\\.168\\.1\\.6"));
}

FindingText NetworkLab::expect_stopped(const CommandResult& result, const std::string& id_pattern) {
  EXPECT_EQ(result.exit_code, 3) << result.err << result.out;
  EXPECT_LT(result.elapsed, stop_deadline) << result.err;
  EXPECT_THAT(result.out, Not(ContainsRegex("#  Rank  0"))) << "it started ranks";
  auto finding = expect_finding(result, id_pattern);
  EXPECT_EQ(finding.severity, "error") << finding.text;
  std::cout << "stopped after " << result.elapsed.count() << " ms: " << finding.text;
  return finding;
}

FindingText NetworkLab::expect_finding(const CommandResult& result, const std::string& id_pattern) {
  const auto found = findings_in(result.err);
  for (const auto& [id, finding] : found)
    if (std::regex_match(id, std::regex(id_pattern))) return finding;
  ADD_FAILURE() << "no finding " << id_pattern << " in\n" << result.err << result.out;
  return {};
}

}  // namespace ringrun::test
