#include "worker/backend/nccl/nccl_log.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace ringrun::worker {
namespace {

/// WARN and VERSION are what ringrun and careful people set, and say nothing of where it shall go.
bool user_wants_a_log() {
  const char* level = std::getenv("NCCL_DEBUG");
  if (level != nullptr && std::strcmp(level, "WARN") != 0 && std::strcmp(level, "VERSION") != 0) return true;
  return std::getenv("NCCL_DEBUG_FILE") != nullptr || std::getenv("NCCL_DEBUG_SUBSYS") != nullptr;
}

}  // namespace

void NcclLog::open() {
  if (user_wants_a_log()) return;
  std::error_code error;
  std::string name = std::filesystem::temp_directory_path(error) / "ringrun-nccl-XXXXXX";
  // NCCL would take a percent sign for a placeholder.
  if (error || name.find('%') != std::string::npos) return;
  file_ = Descriptor(mkostemp(name.data(), O_CLOEXEC));
  if (!file_) return;
  name_ = name;
  setenv("NCCL_DEBUG", "INFO", 1);
  setenv("NCCL_DEBUG_SUBSYS", "INIT", 1);
  setenv("NCCL_DEBUG_FILE", name_.c_str(), 1);
}

void NcclLog::remove_name() {
  if (!name_.empty()) unlink(name_.c_str());
  name_.clear();
}

std::vector<std::string> NcclLog::read_transports() {
  std::array<char, 65536> bytes{};
  ssize_t length = 0;
  while (file_ && (length = ::read(file_.get(), bytes.data(), bytes.size())) > 0)
    unfinished_.append(bytes.data(), static_cast<std::size_t>(length));
  std::size_t begin = 0;
  for (std::size_t end; (end = unfinished_.find('\n', begin)) != std::string::npos; begin = end + 1)
    read_line(unfinished_.substr(begin, end - begin));
  unfinished_.erase(0, begin);
  return {transports_.begin(), transports_.end()};
}

/// "… Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read": the first two words of the transport.
void NcclLog::read_line(const std::string& line) {
  if (line.find(" NCCL WARN ") != std::string::npos) {
    std::fputs((line + '\n').c_str(), stderr);
    return;
  }
  constexpr const char* kVia = " via ";
  const std::size_t via = line.rfind(kVia);
  if (via == std::string::npos || line.find("Channel ") == std::string::npos) return;
  std::string transport = line.substr(via + std::strlen(kVia));
  transport = transport.substr(0, transport.find_first_of(" \t("));
  const std::size_t first = transport.find('/');
  if (first != std::string::npos) transport = transport.substr(0, transport.find('/', first + 1));
  transports_.insert(transport);
}

}  // namespace ringrun::worker
