#include "lib/net/free_port.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>

#include "lib/descriptor.hpp"

namespace ringrun {
namespace {

bool takes(int port, bool reuses) {
  const Descriptor descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!descriptor) return false;
  const int reuse = reuses ? 1 : 0;
  setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<in_port_t>(port));
  // Two that only bind may share a port; of listeners there is one.
  return bind(descriptor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
         (!reuses || listen(descriptor.get(), 1) == 0);
}

}  // namespace

// An address that is still in TIME_WAIT would fail for programs that do not set SO_REUSEADDR.
bool is_free_port(int port) { return takes(port, false); }

bool may_listen_on(int port) { return takes(port, true); }

int find_free_port(int first) {
  int low = 32768;
  int high = 60999;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> low >> high;
  constexpr int kFirst = 1024;
  constexpr int kPorts = 65536 - kFirst;
  for (int i = 0; i < kPorts; ++i) {
    const int port = kFirst + (first - kFirst + i) % kPorts;
    if (port >= low && port <= high) continue;
    if (is_free_port(port)) return port;
  }
  return 0;
}

}  // namespace ringrun
