#include "launcher/staging/placed_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "launcher/staging/user_cache.hpp"
#include "lib/error.hpp"
#include "lib/host/content_hash.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecords = "placed";

/// Where the cache keeps the hash of what was copied to `path` last.
fs::path record_of(const fs::path& cache, const fs::path& path) {
  ContentHash name;
  name.add(path.c_str(), path.string().size());
  return cache / kRecords / name.text();
}

std::string recorded_hash(const fs::path& record) {
  std::string hash;
  std::ifstream(record) >> hash;
  return hash;
}

bool is_there(const fs::path& path, const CopyFile& file) {
  std::error_code error;
  if (file.folder) return fs::is_directory(path, error);
  return fs::file_size(path, error) == file.size && !error && hash_of_file(path) == file.hash;
}

/// As the user's own programs would make it.
unsigned mode_of(const CopyFile& file) {
  const mode_t mask = umask(0);
  umask(mask);
  return (file.executable ? 0777u : 0666u) & ~mask;
}

void take_placed_file(const CopyFile& file, const fs::path& path, const fs::path& record, SentBytes& sent) {
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  const fs::path fresh = path.parent_path() / ("." + path.filename().string() + ".new." + std::to_string(getpid()));
  try {
    take_file(file, fresh, mode_of(file), sent);
    // First, so that a copy is known for one whatever happens in between.
    const fs::path new_record = record.string() + ".new." + std::to_string(getpid());
    std::ofstream(new_record) << file.hash << "\n";
    fs::rename(new_record, record);
    fs::rename(fresh, path);
  } catch (...) {
    std::error_code error;
    fs::remove(fresh, error);
    throw;
  }
}

}  // namespace

CopyAnswer place_files(const CopyRequest& request, const fs::path& cache, SentBytes& sent) {
  CopyAnswer answer;
  answer.folder = request.folder;
  std::vector<fs::path> paths;
  for (const CopyFile& file : request.files) paths.push_back((fs::path(request.folder) / file.name).lexically_normal());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const CopyFile& file = request.files[i];
    if (is_there(paths[i], file)) continue;
    answer.wanted.push_back(i);
    std::error_code error;
    const bool other = fs::exists(fs::symlink_status(paths[i], error));
    CopyFault fault;
    if (other && (file.folder || hash_of_file(paths[i]) != recorded_hash(record_of(cache, paths[i])))) {
      fault = {"another " + paths[i].string() + " is there, and is kept",
               "remove it there, or copy yours over it by hand: scp"};
    } else {
      fault = look_at_place(paths[i].parent_path(), file.size, false);
    }
    if (fault.problem.empty()) continue;
    answer.problem = fault.problem;
    answer.remedy = fault.remedy;
    return answer;
  }
  if (request.sent.empty()) return answer;
  make_own_folder(cache);
  make_own_folder(cache / kRecords);
  for (const std::size_t i : request.sent) {
    if (request.files[i].folder) {
      fs::create_directories(paths[i]);
    } else {
      take_placed_file(request.files[i], paths[i], record_of(cache, paths[i]), sent);
    }
  }
  answer.wanted.clear();
  return answer;
}

}  // namespace ringrun
