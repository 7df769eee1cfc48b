#include "worker/network/launcher_connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "lib/host/ancestors.hpp"

namespace ringrun::worker {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEstablished = "01";

/// "0501A8C0:1F90": the address as the kernel keeps it, in words of the machine's byte order. Empty where it is none.
std::string address_of(const std::string& field) {
  const std::string hex = field.substr(0, field.find(':'));
  std::array<std::uint32_t, 4> words{};
  if (hex.size() != 8 && hex.size() != 32) return {};
  for (std::size_t i = 0; i < hex.size() / 8; ++i) {
    words.at(i) = static_cast<std::uint32_t>(std::strtoul(hex.substr(i * 8, 8).c_str(), nullptr, 16));
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  in6_addr six{};
  std::memcpy(&six, words.data(), sizeof six);
  const void* address = words.data();
  int family = hex.size() == 8 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six)) {
    family = AF_INET;
    address = &words[3];
  }
  return inet_ntop(family, address, text.data(), text.size()) == nullptr ? std::string() : text.data();
}

bool is_loopback(const std::string& address) { return address == "::1" || address.rfind("127.", 0) == 0; }

void add_sockets(const fs::path& process, std::set<std::string>& inodes) {
  std::error_code error;
  for (fs::directory_iterator file(process / "fd", error), end; !error && file != end; file.increment(error)) {
    std::error_code unreadable;
    const std::string target = fs::read_symlink(file->path(), unreadable).string();
    constexpr std::size_t kPrefix = sizeof "socket:[" - 1;
    if (target.rfind("socket:[", 0) == 0) inodes.insert(target.substr(kPrefix, target.size() - kPrefix - 1));
  }
}

std::optional<std::string> local_address(const std::string& row, const std::set<std::string>& inodes) {
  std::istringstream fields(row);
  std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
  fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
  if (state != kEstablished || inodes.count(inode) == 0) return std::nullopt;
  const std::string here = address_of(local);
  if (here.empty() || is_loopback(here) || here == address_of(remote)) return std::nullopt;
  return here;
}

}  // namespace

std::vector<std::string> addresses_towards_launcher(const fs::path& proc) {
  std::set<std::string> inodes;
  for (const int process : ancestors(proc)) add_sockets(proc / std::to_string(process), inodes);
  std::vector<std::string> addresses;
  if (inodes.empty()) return addresses;
  for (const char* table : {"tcp", "tcp6"}) {
    std::ifstream rows(proc / "self" / "net" / table);
    for (std::string row; std::getline(rows, row);) {
      const auto address = local_address(row, inodes);
      if (address && std::find(addresses.begin(), addresses.end(), *address) == addresses.end()) {
        addresses.push_back(*address);
      }
    }
  }
  return addresses;
}

}  // namespace ringrun::worker
