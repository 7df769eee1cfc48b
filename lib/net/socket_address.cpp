#include "lib/net/socket_address.hpp"

#include <netdb.h>
#include <netinet/in.h>

#include <cstring>

namespace ringrun {

std::optional<SocketAddress> SocketAddress::parse(const std::string& ip, int port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (ip.empty() || getaddrinfo(ip.c_str(), nullptr, &hints, &list) != 0) return std::nullopt;
  SocketAddress address;
  std::memcpy(&address.storage_, list->ai_addr, list->ai_addrlen);
  address.size_ = list->ai_addrlen;
  freeaddrinfo(list);
  address.set_port(port);
  return address;
}

SocketAddress SocketAddress::local(int socket) {
  SocketAddress address;
  if (getsockname(socket, address.fill(), address.fill_size()) != 0) return {};
  return address;
}

SocketAddress SocketAddress::peer(int socket) {
  SocketAddress address;
  if (getpeername(socket, address.fill(), address.fill_size()) != 0) return {};
  return address;
}

std::string SocketAddress::ip() const {
  char text[NI_MAXHOST] = "";
  if (size_ == 0 || getnameinfo(get(), size_, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) return "";
  return text;
}

int SocketAddress::port() const {
  if (family() == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
  return family() == AF_INET ? ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port) : 0;
}

void SocketAddress::set_port(int port) {
  const in_port_t number = htons(static_cast<in_port_t>(port));
  if (family() == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&storage_)->sin6_port = number;
  } else {
    reinterpret_cast<sockaddr_in*>(&storage_)->sin_port = number;
  }
}

Socket open_socket(int family, int type) { return Socket(socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

std::string source_towards(const SocketAddress& to) {
  const Socket socket = open_socket(to.family(), SOCK_DGRAM);
  if (!socket || connect(socket.get(), to.get(), to.size()) != 0) return "";
  return SocketAddress::local(socket.get()).ip();
}

}  // namespace ringrun
