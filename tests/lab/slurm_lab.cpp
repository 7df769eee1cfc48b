#include "tests/lab/slurm_lab.hpp"

#include <fstream>
#include <regex>
#include <sstream>

namespace ringrun::test {

std::vector<std::string> SlurmLab::in_allocation(const std::vector<std::string>& words,
                                                 const std::vector<std::string>& command) {
  std::vector<std::string> line{"salloc", "--quiet"};
  line.insert(line.end(), words.begin(), words.end());
  line.insert(line.end(), command.begin(), command.end());
  return line;
}

std::string SlurmLab::submit(const std::vector<std::string>& words) {
  std::vector<std::string> line{"sbatch", "--parsable", "--output=/run/lab/slurm/job-%j.out"};
  line.insert(line.end(), words.begin(), words.end());
  const auto result = on("a", line);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out.substr(0, result.out.find('\n'));
}

std::string SlurmLab::batch_output(const std::string& job) {
  std::ostringstream text;
  text << std::ifstream(lab->folder() + "/slurm/job-" + job + ".out").rdbuf();
  return text.str();
}

SlurmLab::BatchResult SlurmLab::batch_result(const std::string& job, std::chrono::seconds deadline) {
  static const std::regex record("JobState=(\\w+)[^]*ExitCode=(\\d+):(\\d+)");
  BatchResult result;
  wait_until(
      [&] {
        const std::string shown = on("a", {"scontrol", "show", "job", job}).out;
        std::smatch match;
        if (!std::regex_search(shown, match, record)) return false;
        result.state = match[1];
        result.exit_code = match[3] == "0" ? std::stoi(match[2]) : 128 + std::stoi(match[3]);
        return result.state != "PENDING" && result.state != "RUNNING" && result.state != "COMPLETING";
      },
      deadline);
  result.out = batch_output(job);
  return result;
}

}  // namespace ringrun::test
