#include "launcher/staging/program_staging.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "launcher/launch_errors.hpp"
#include "launcher/probe/probe.hpp"
#include "launcher/staging/local_program.hpp"
#include "lib/explain/host_queries.hpp"
#include "lib/explain/program_needs.hpp"
#include "lib/host/program_facts.hpp"

namespace ringrun {
namespace {

using Orders = std::vector<std::optional<CopyOrder>>;
using Answers = std::vector<std::optional<CopyAnswer>>;

/// Each file is read once, however many hosts get it.
class FileContents {
 public:
  std::shared_ptr<const std::string> of(const std::filesystem::path& path) {
    auto& content = contents_[path.string()];
    if (content) return content;
    std::ifstream file(path, std::ios::binary);
    content =
        std::make_shared<const std::string>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (!file) throw UserError(path.string() + " cannot be read", "it is to be copied to other hosts");
    return content;
  }

 private:
  std::map<std::string, std::shared_ptr<const std::string>> contents_;
};

class Staging {
 public:
  Staging(const LaunchContext& context, HostProbe& probe, std::vector<HostAnswer>& answers)
      : context_(context), probe_(probe), answers_(answers) {}

  std::map<std::string, CopiedFile> run() {
    for (std::size_t i = 0; i < context_.programs.size(); ++i) {
      forget_elsewhere(i);
      if (!context_.programs[i].argv.empty()) stage_program(i);
      stage_files(context_.programs[i]);
    }
    return std::move(copied_);
  }

 private:
  bool changes_nothing() const { return context_.request.dry_run || context_.request.doctor; }
  std::size_t hosts() const { return context_.hosts.size(); }

  HostQuestion question_about(const JobProgram& program) const {
    HostQuestion question;
    question.program = program.argv.empty() ? "" : program.argv[0];
    question.cwd = program.working_directory.value_or(context_.cwd);
    question.environment = program.exports;
    question.prefix = context_.request.prefix.value_or("");
    return question;
  }

  /// The user's word for that host's cache.
  std::string cache_home(std::size_t host, const JobProgram& program) const {
    const std::string name = "XDG_CACHE_HOME";
    const auto asked = program.exports.find(name);
    if (asked != program.exports.end()) return asked->second;
    const auto& of_host = context_.hosts[host].attributes.environment;
    const auto said = of_host.find(name);
    return said == of_host.end() ? "" : said->second;
  }

  CopyRequest request_for(std::size_t host, const JobProgram& program, std::vector<CopyFile> files) const {
    CopyRequest request;
    request.files = std::move(files);
    request.cache_home = cache_home(host, program);
    request.question = question_for(context_.hosts[host], question_about(program));
    return request;
  }

  /// Every host was asked for every program.
  void forget_elsewhere(std::size_t index) {
    for (std::size_t i = 0; i < hosts(); ++i) {
      if (!may_run_on(context_.programs[index], context_.hosts[i])) program_facts(answers_[i].facts, index) = {};
    }
  }

  /// Those that need the program from here.
  std::vector<std::size_t> hosts_without(std::size_t index, const LocalProgram& local) {
    const JobProgram& program = context_.programs[index];
    const bool asked = program.preload.program || program.preload.libraries;
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < hosts(); ++i) {
      if (answers_[i].local || !may_run_on(program, context_.hosts[i])) continue;
      const ProgramFacts& there = program_facts(answers_[i].facts, index);
      const bool missing = there.state == ProgramState::missing && is_copied_unasked(program.argv[0]);
      const bool other = there.state != ProgramState::executable || there.hash != local.facts.hash;
      if (missing || (program.preload.program && other) || (asked && !local.libraries.empty())) result.push_back(i);
    }
    return result;
  }

  void stage_program(std::size_t index) {
    const JobProgram& program = context_.programs[index];
    const auto local = read_local_program(question_about(program), program.preload.libraries);
    if (!local) {
      if (!program.preload.program) return;
      throw ProgramError(127, "--preload-binary: there is no program " + program.argv[0] + " here",
                         "it is copied from this host");
    }
    const std::vector<std::size_t> places = hosts_without(index, *local);
    if (places.empty()) return;
    const std::vector<std::vector<std::string>> lacking = ask_for_libraries(program, *local, places);
    std::map<std::size_t, LocalFiles> files;
    Orders orders(answers_.size());
    for (std::size_t k = 0; k < places.size(); ++k) {
      const std::size_t host = places[k];
      files[host] = files_for_host(*local, lacking[k]);
      const std::string obstacle = unmet_need(needs_of(*local, files[host]), answers_[host].facts);
      if (!obstacle.empty()) {
        refuse(host, program.argv[0], "L9", obstacle, kBuildThere);
      } else {
        orders[host] = CopyOrder{request_for(host, program, files[host].files)};
      }
    }
    for (const auto& [host, answer] : copy(std::move(orders), files)) {
      const bool there = program_facts(answers_[host].facts, index).state != ProgramState::missing;
      if (!answer.problem.empty()) {
        refuse(host, program.argv[0], "L11", answer.problem, answer.remedy);
        continue;
      }
      const bool libraries = files[host].files.size() > local->files.files.size();
      ProgramCopy where{answer.folder + "/" + files[host].files[0].name};
      if (libraries) where.libraries = answer.folder + "/" + kCopiedLibraries;
      answers_[host].programs[program.argv[0]] = std::move(where);
      program_facts(answers_[host].facts, index) = answer.wanted.empty() ? answer.program : local->facts;
      answers_[host].copies.push_back({program.argv[0], !there});
    }
  }

  std::vector<std::vector<std::string>> ask_for_libraries(const JobProgram& program, const LocalProgram& local,
                                                          const std::vector<std::size_t>& places) {
    std::vector<std::vector<std::string>> lacking(places.size());
    Orders orders(answers_.size());
    for (const std::size_t host : places) {
      CopyRequest request = request_for(host, program, {});
      for (const NeededLibrary& library : local.libraries) {
        if (library.of_system) request.libraries.push_back(library.name);
      }
      if (!request.libraries.empty()) orders[host] = CopyOrder{std::move(request)};
    }
    const Answers answers = probe_.copy(orders);
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (answers[places[k]]) lacking[k] = answers[places[k]]->lacking;
      const std::string& has = answers_[places[k]].facts.software.glibcxx;
      // It is there, and too old.
      if (!has.empty() && compare_versions(has, local.facts.needs_glibcxx) < 0)
        lacking[k].insert(lacking[k].end(), {kStandardLibrary, "libgcc_s.so.1"});
    }
    return lacking;
  }

  void stage_files(const JobProgram& program) {
    if (program.preload.files.empty()) return;
    const LocalFiles local = read_local_files(program.preload.files, context_.cwd);
    std::map<std::size_t, LocalFiles> files;
    Orders orders(answers_.size());
    for (std::size_t i = 0; i < hosts(); ++i) {
      if (!may_run_on(program, context_.hosts[i])) continue;
      files[i] = local;
      orders[i] = CopyOrder{request_for(i, program, local.files)};
      orders[i]->request.folder = orders[i]->request.question.cwd;
    }
    for (const auto& [host, answer] : copy(std::move(orders), files)) {
      if (!answer.problem.empty()) {
        refuse(host, "--preload-files", "L11", answer.problem, answer.remedy);
      } else if (question_about(program).cwd == question_about(context_.programs[0]).cwd) {
        // It was made where it was not there.
        answers_[host].facts.cwd_exists = true;
      }
    }
  }

  /// Asks who has what, and sends the rest.
  std::map<std::size_t, CopyAnswer> copy(Orders orders, const std::map<std::size_t, LocalFiles>& files) {
    Answers answers = probe_.copy(orders);
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const bool sends = answers[i] && answers[i]->problem.empty() && !answers[i]->wanted.empty() && !changes_nothing();
      if (!sends) {
        orders[i].reset();
        continue;
      }
      const LocalFiles& local = files.at(i);
      orders[i]->request.sent = answers[i]->wanted;
      for (const std::size_t place : answers[i]->wanted) {
        if (!local.files[place].folder) orders[i]->contents.push_back(contents_.of(local.paths[place]));
      }
    }
    const Answers sent = probe_.copy(orders);
    std::map<std::size_t, CopyAnswer> result;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i]) continue;
      result[i] = sent[i] ? *sent[i] : *answers[i];
      if (!sent[i] || !sent[i]->problem.empty()) continue;
      for (const std::size_t place : orders[i]->request.sent) {
        CopiedFile& file = copied_[files.at(i).paths[place].string()];
        file.bytes = files.at(i).files[place].size;
        file.hosts.push_back(context_.hosts[i].name);
      }
    }
    return result;
  }

  void refuse(std::size_t host, const std::string& name, const std::string& id, const std::string& problem,
              const std::string& remedy) {
    answers_[host].copies.push_back({name, false, id, problem, remedy});
  }

  const LaunchContext& context_;
  HostProbe& probe_;
  std::vector<HostAnswer>& answers_;
  FileContents contents_;
  std::map<std::string, CopiedFile> copied_;
};

}  // namespace

bool may_run_on(const JobProgram& program, const Host& host) {
  return program.hosts.empty() || std::any_of(program.hosts.begin(), program.hosts.end(),
                                              [&](const Host& named) { return named.name == host.name; });
}

std::map<std::string, CopiedFile> stage_programs(const LaunchContext& context, HostProbe& probe,
                                                 std::vector<HostAnswer>& answers) {
  return Staging(context, probe, answers).run();
}

}  // namespace ringrun
