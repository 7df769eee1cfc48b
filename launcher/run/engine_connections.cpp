#include "launcher/run/engine_connections.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace ringrun {
namespace {

/// "socket:[4711]": 4711.
std::set<std::string> socket_inodes(const std::string& folder) {
  std::set<std::string> inodes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry->path(), gone).string();
    constexpr std::string_view kBefore = "socket:[";
    if (target.rfind(kBefore, 0) == 0) inodes.insert(target.substr(kBefore.size(), target.size() - kBefore.size() - 1));
  }
  return inodes;
}

/// "0601A8C0:1F90" or 32 digits before the colon: words of the host's byte order, as the kernel prints them.
std::string address_of(const std::string& word) {
  const std::size_t digits = word.find(':');
  if (digits != 8 && digits != 32) return {};
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < digits / 8; ++i) {
    words[i] = static_cast<std::uint32_t>(std::strtoul(word.substr(8 * i, 8).c_str(), nullptr, 16));
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  in6_addr address{};
  std::memcpy(&address, words.data(), sizeof address);
  if (digits == 32 && !IN6_IS_ADDR_V4MAPPED(&address)) {
    inet_ntop(AF_INET6, &address, text.data(), text.size());
  } else {
    inet_ntop(AF_INET, digits == 8 ? &words[0] : &words[3], text.data(), text.size());
  }
  return text.data();
}

constexpr std::string_view kEstablished = "01";
constexpr std::string_view kListening = "0A";

/// A line of the kernel's table.
struct Socket {
  std::string local;
  std::string remote;
};

std::vector<Socket> sockets_in(std::string_view text, std::string_view wanted, const std::set<std::string>& inodes) {
  std::vector<Socket> sockets;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
    if (state == wanted && inodes.count(inode) != 0) sockets.push_back({std::move(local), std::move(remote)});
  }
  return sockets;
}

/// What `read` finds in both of the kernel's tables for the sockets of a process.
template <typename Read>
auto read_tables(pid_t process, Read read) {
  const std::string folder = "/proc/" + std::to_string(process);
  const std::set<std::string> inodes = socket_inodes(folder + "/fd");
  auto found = read("", inodes);
  for (const char* table : {"/net/tcp", "/net/tcp6"}) {
    std::ifstream file(folder + table);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    found.merge(read(text, inodes));
  }
  return found;
}

}  // namespace

std::set<std::string> connected_addresses(std::string_view text, const std::set<std::string>& inodes) {
  std::set<std::string> addresses;
  for (const Socket& socket : sockets_in(text, kEstablished, inodes)) {
    if (std::string address = address_of(socket.remote); !address.empty()) addresses.insert(std::move(address));
  }
  return addresses;
}

std::set<int> listening_ports(std::string_view text, const std::set<std::string>& inodes) {
  std::set<int> ports;
  for (const Socket& socket : sockets_in(text, kListening, inodes)) {
    const std::size_t colon = socket.local.find(':');
    if (colon != std::string::npos)
      ports.insert(static_cast<int>(std::strtol(socket.local.c_str() + colon + 1, nullptr, 16)));
  }
  return ports;
}

std::set<std::string> connected_addresses(pid_t process) {
  return read_tables(process, [](std::string_view text, const std::set<std::string>& inodes) {
    return connected_addresses(text, inodes);
  });
}

std::set<int> listening_ports(pid_t process) {
  return read_tables(process, [](std::string_view text, const std::set<std::string>& inodes) {
    return listening_ports(text, inodes);
  });
}

}  // namespace ringrun
