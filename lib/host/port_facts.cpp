#include "lib/host/port_facts.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <set>
#include <sstream>

#include "lib/descriptor.hpp"
#include "lib/host/host_file.hpp"
#include "lib/net/free_port.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

/// Binds to all addresses of a family, and lets go again.
bool can_bind(int family, int port) {
  const Descriptor descriptor(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!descriptor) return false;
  const int reuse_address = 1;
  const int both_families = 0;
  setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &reuse_address, sizeof reuse_address);
  const in_port_t number = htons(static_cast<in_port_t>(port));
  if (family == AF_INET6) {
    setsockopt(descriptor.get(), IPPROTO_IPV6, IPV6_V6ONLY, &both_families, sizeof both_families);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = number;
    return bind(descriptor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = number;
  return bind(descriptor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// The socket numbers that listen on the port, from /proc/net/tcp and tcp6.
std::set<std::string> listening_sockets(int port, const fs::path& root) {
  constexpr const char* kListen = "0A";
  std::set<std::string> inodes;
  for (const char* table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    for (const std::string& line : read_lines(host_path(root, table))) {
      std::istringstream words(line);
      std::string slot, local, remote, state, queues, timer, retransmits, user, timeout, inode;
      if (!(words >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode)) {
        continue;
      }
      const std::size_t colon = local.rfind(':');
      int number = 0;
      if (colon == std::string::npos || state != kListen) continue;
      std::from_chars(local.data() + colon + 1, local.data() + local.size(), number, 16);
      if (number == port) inodes.insert("socket:[" + inode + "]");
    }
  }
  return inodes;
}

}  // namespace

bool can_serve(int port) {
  // PyTorch tries both families at once, then IPv4 alone.
  return can_bind(AF_INET6, port) || can_bind(AF_INET, port);
}

std::string port_holder(int port, const fs::path& root) {
  const std::set<std::string> sockets = listening_sockets(port, root);
  if (sockets.empty()) return {};
  for (const fs::path& process : entries(host_path(root, "/proc"))) {
    const std::string number = process.filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    for (const fs::path& descriptor : entries(process / "fd")) {
      std::error_code error;
      if (sockets.count(fs::read_symlink(descriptor, error).string()) == 0) continue;
      return "pid " + number + " (" + read_word(process / "comm") + ")";
    }
  }
  return {};
}

int free_port_in_range(int first, int last) {
  for (int port = first; port <= last && port <= 65535; ++port) {
    if (port > 0 && is_free_port(port)) return port;
  }
  return 0;
}

}  // namespace ringrun
