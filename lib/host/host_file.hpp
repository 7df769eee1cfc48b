#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// The variables of a process.
using Environment = std::map<std::string, std::string>;

/// The variables of this process.
Environment process_environment();

/// The value of a variable, "" where it is unset.
std::string variable(const Environment& environment, const std::string& name);

/// Where the file `path` of a host lies whose files stand under `root`: "/" for this host itself.
std::filesystem::path host_path(const std::filesystem::path& root, const std::filesystem::path& path);

/// The reverse: how the host itself names a file under `root`.
std::string name_on_host(const std::filesystem::path& root, const std::filesystem::path& file);

/// The content, "" where it cannot be read. Files of /proc and /sys too, whose size says nothing. At most 4 MiB.
std::string read_text(const std::filesystem::path& file);

/// Its lines without their ends, none where it cannot be read.
std::vector<std::string> read_lines(const std::filesystem::path& file);

/// Its first line without the blanks around it.
std::string read_word(const std::filesystem::path& file);

std::string_view trimmed(std::string_view text);

/// The parts between any of the separators, empty ones too; none of an empty text.
std::vector<std::string> split(std::string_view text, std::string_view separators);

bool exists(const std::filesystem::path& root, const std::filesystem::path& path);

/// The entries of a folder in the order of their names, none where it cannot be read.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

/// The first executable file of this name in the folders of `search_path` (a PATH), as the host names it; "" where
/// there is none.
std::string find_program(const std::string& name, const std::string& search_path, const std::filesystem::path& root);

}  // namespace ringrun
