#pragma once

#include <filesystem>

#include "launcher/staging/copy_request.hpp"
#include "launcher/staging/file_intake.hpp"

namespace ringrun {

/// Files that belong at a place of their own, in the ranks' working directory: says which are not there, or takes those
/// that were sent. A file of another content is replaced only where it is what was copied there last; `cache` keeps
/// what that was. Throws UserError, SystemError, std::filesystem::filesystem_error.
CopyAnswer place_files(const CopyRequest& request, const std::filesystem::path& cache, SentBytes& sent);

}  // namespace ringrun
