#include "launcher/staging/copy_intake.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "launcher/staging/file_intake.hpp"
#include "launcher/staging/placed_files.hpp"
#include "launcher/staging/user_cache.hpp"
#include "lib/error.hpp"
#include "lib/host/content_hash.hpp"
#include "lib/host/library_search.hpp"
#include "lib/host/program_facts.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrograms = "programs";

/// A path that stays in its folder.
void check_name(const std::string& name) {
  const fs::path path(name);
  const bool climbs = std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
  if (name.empty() || path.is_absolute() || climbs)
    throw UserError("a copy is asked for under the name '" + name + "'");
}

bool is_whole(const fs::path& folder, const std::vector<CopyFile>& files) {
  return std::all_of(files.begin(), files.end(), [&](const CopyFile& file) {
    std::error_code error;
    const fs::path path = folder / file.name;
    if (!fs::is_regular_file(fs::symlink_status(path, error)) || fs::file_size(path, error) != file.size) return false;
    const bool executable = (fs::status(path, error).permissions() & fs::perms::owner_exec) != fs::perms::none;
    return !error && executable == file.executable;
  });
}

std::vector<std::size_t> all_places(const std::vector<CopyFile>& files) {
  std::vector<std::size_t> places(files.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

void set_fault(CopyAnswer& answer, const CopyFault& fault) {
  answer.problem = fault.problem;
  answer.remedy = fault.remedy;
}

/// The program there, looked at as its ranks will find it.
ProgramFacts facts_of_copy(const CopyRequest& request, const fs::path& folder) {
  HostQuestion question = request.question;
  question.program = (folder / request.files[0].name).string();
  std::error_code error;
  if (fs::is_directory(folder / kCopiedLibraries, error)) {
    const std::string others = rank_library_path(question);
    question.environment["LD_LIBRARY_PATH"] =
        (folder / kCopiedLibraries).string() + (others.empty() ? "" : ":" + others);
  }
  return read_program_facts(question);
}

/// Takes what was sent into `copy`, a folder of the cache.
void take_program(const CopyRequest& request, const fs::path& copy, SentBytes& sent) {
  std::string pattern = (copy.parent_path() / ".new.XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw SystemError("mkdtemp " + pattern, std::strerror(errno), errno);
  const fs::path fresh = pattern;
  try {
    for (const std::size_t place : request.sent) {
      const CopyFile& file = request.files[place];
      fs::create_directories((fresh / file.name).parent_path());
      take_file(file, fresh / file.name, file.executable ? 0700 : 0600, sent);
    }
    take_file({kCopyLock, 0, ContentHash().text(), false}, fresh / kCopyLock, 0600, sent);
    std::error_code error;
    fs::rename(fresh, copy, error);
    // Where it is there by now, another launch was faster; what is broken makes way.
    if (error && !is_whole(copy, request.files)) {
      const fs::path broken = fresh.string() + ".broken";
      fs::rename(copy, broken);
      fs::rename(fresh, copy);
      fs::remove_all(broken, error);
    }
    fs::remove_all(fresh, error);
  } catch (...) {
    std::error_code error;
    fs::remove_all(fresh, error);
    throw;
  }
}

CopyAnswer keep_program(const CopyRequest& request, const Environment& environment, SentBytes& sent) {
  CopyAnswer answer;
  for (const CopyFile& file : request.files) check_name(file.name);
  const fs::path cache = cache_folder(request.cache_home, environment);
  const fs::path copy = cache / kPrograms / name_of_copy(request.files);
  answer.folder = copy.string();
  if (!is_whole(copy, request.files)) {
    std::uint64_t bytes = 0;
    for (const CopyFile& file : request.files) bytes += file.size;
    const CopyFault fault = look_at_place(copy, bytes, true);
    set_fault(answer, fault);
    answer.wanted = all_places(request.files);
    if (request.sent.empty() || !fault.problem.empty()) return answer;
    make_own_folder(cache);
    make_own_folder(cache / kPrograms);
    remove_old_copies(cache / kPrograms, kCopyAge);
    take_program(request, copy, sent);
    answer.wanted.clear();
  }
  touch_copy(copy);
  answer.program = facts_of_copy(request, copy);
  return answer;
}

std::vector<std::string> lacking_libraries(const CopyRequest& request) {
  std::vector<std::string> lacking;
  if (request.libraries.empty()) return lacking;
  const LibrarySearch search(rank_library_path(request.question));
  std::copy_if(request.libraries.begin(), request.libraries.end(), std::back_inserter(lacking),
               [&](const std::string& name) { return search.find(name).empty(); });
  return lacking;
}

}  // namespace

CopyAnswer obey_copy_request(const CopyRequest& request, const Environment& environment, const ReadBytes& read) {
  SentBytes sent(read, bytes_sent(request));
  CopyAnswer answer;
  try {
    if (!request.folder.empty()) {
      answer = place_files(request, cache_folder(request.cache_home, environment), sent);
    } else if (!request.files.empty()) {
      answer = keep_program(request, environment, sent);
    }
    answer.lacking = lacking_libraries(request);
  } catch (const SystemError& error) {
    set_fault(answer, copy_fault(answer.folder.empty() ? "a copy" : answer.folder, error.code()));
  } catch (const fs::filesystem_error& error) {
    set_fault(answer, copy_fault(error.path1(), error.code().value()));
  } catch (const UserError& error) {
    set_fault(answer, {error.what(), error.remedy()});
  }
  sent.skip_rest();
  return answer;
}

}  // namespace ringrun
