#include "lib/host/host_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <system_error>

namespace ringrun {

namespace fs = std::filesystem;

Environment process_environment() {
  Environment found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

std::string variable(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

fs::path host_path(const fs::path& root, const fs::path& path) { return root / path.relative_path(); }

std::string name_on_host(const fs::path& root, const fs::path& file) {
  if (root == "/") return file.string();
  const fs::path inside = file.lexically_relative(root);
  return inside.empty() || *inside.begin() == ".." ? file.string() : "/" + inside.string();
}

std::string read_text(const fs::path& file) {
  constexpr std::size_t kMost = std::size_t{4} << 20;
  // A named pipe or a device would hold the reader for ever.
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  std::ifstream in(file, std::ios::binary);
  std::string text;
  char part[4096];
  while (text.size() < kMost && in.good()) {
    in.read(part, sizeof part);
    text.append(part, static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

std::vector<std::string> read_lines(const fs::path& file) {
  std::string text = read_text(file);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return split(text, "\n");
}

std::string read_word(const fs::path& file) {
  const std::string text = read_text(file);
  return std::string(trimmed(std::string_view(text).substr(0, text.find('\n'))));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool exists(const fs::path& root, const fs::path& path) {
  std::error_code error;
  return fs::exists(host_path(root, path), error);
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string find_program(const std::string& name, const std::string& search_path, const fs::path& root) {
  for (const std::string& folder : split(search_path, ":")) {
    if (folder.empty()) continue;
    const fs::path file = host_path(root, fs::path(folder) / name);
    struct stat status {};
    const bool regular = stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    if (regular && access(file.c_str(), X_OK) == 0) return (fs::path(folder) / name).string();
  }
  return {};
}

}  // namespace ringrun
