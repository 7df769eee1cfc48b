#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>

#include "lib/descriptor.hpp"

namespace ringrun {

using Socket = Descriptor;

/// An IPv4 or IPv6 address with its port, as the kernel takes it.
class SocketAddress {
 public:
  /// Unset where `ip` is no numeric address.
  static std::optional<SocketAddress> parse(const std::string& ip, int port);

  /// Of this end of a socket, and of the other end. Empty where the kernel gives none.
  static SocketAddress local(int socket);
  static SocketAddress peer(int socket);

  int family() const { return storage_.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return size_; }
  /// "" for an empty address.
  std::string ip() const;
  int port() const;
  void set_port(int port);

  /// For a call of the kernel that fills them in.
  sockaddr* fill() { return reinterpret_cast<sockaddr*>(&storage_); }
  socklen_t* fill_size() {
    size_ = sizeof storage_;
    return &size_;
  }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

/// A non-blocking socket that children do not inherit; empty, with errno set, where the kernel gives none. `type` is
/// SOCK_STREAM or SOCK_DGRAM.
Socket open_socket(int family, int type);

/// The address of this host from which the kernel would go to `to`, "" where there is no route. Nothing is sent.
std::string source_towards(const SocketAddress& to);

}  // namespace ringrun
