#pragma once

#include <cstddef>
#include <functional>

#include "launcher/environment.hpp"
#include "launcher/staging/copy_request.hpp"

namespace ringrun {

/// Reads so many bytes of what follows the request, fewer only where there is no more to come.
using ReadBytes = std::function<std::size_t(char* to, std::size_t size)>;

/// The agent's part of a copy: says what of the request is there, or takes what was sent. A file appears under its name
/// only when it is whole, whoever else copies the same. Everything that was sent is read, also where it cannot be
/// written. Another file than was copied there before is never replaced. Throws UserError where `read` ends early.
CopyAnswer obey_copy_request(const CopyRequest& request, const Environment& environment, const ReadBytes& read);

}  // namespace ringrun
