#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "launcher/environment.hpp"
#include "lib/descriptor.hpp"

namespace ringrun {

/// A place that cannot take a copy, and what mends that.
struct CopyFault {
  std::string problem;
  std::string remedy;
};

/// What errno `code` means for a copy to `path`.
CopyFault copy_fault(const std::filesystem::path& path, int code);

/// Why so many bytes cannot be written under `folder`, which need not be there yet: nobody may write there, the disk is
/// full, or, for programs, nothing there may be executed. Changes nothing. Empty problem: nothing stands against it.
CopyFault look_at_place(const std::filesystem::path& folder, std::uint64_t bytes, bool programs);

/// `said`, else XDG_CACHE_HOME, else ~/.cache, and in it the folder ringrun. Throws UserError where there is no home.
std::filesystem::path cache_folder(const std::string& said, const Environment& environment);

/// Makes the folder, this user's alone (0700). Throws UserError where it is somebody else's, SystemError.
void make_own_folder(const std::filesystem::path& folder);

/// A copy that no job has used for so long is removed when another one is made.
inline constexpr std::chrono::hours kCopyAge{14 * 24};

/// The file in each copy that its users hold locked.
inline constexpr const char* kCopyLock = ".lock";

/// Says that the copy in `folder` is used now.
void touch_copy(const std::filesystem::path& folder);

/// The same, and keeps it from being removed for as long as the descriptor lives. An empty one where the folder is no
/// copy.
Descriptor hold_copy(const std::filesystem::path& folder);

/// Removes the copies in `folder` that are older than `age` and that nobody holds, and what broken copies left there.
void remove_old_copies(const std::filesystem::path& folder, std::chrono::seconds age);

}  // namespace ringrun
