#include "lib/net/netlink.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "lib/error.hpp"
#include "lib/net/socket_address.hpp"

namespace ringrun {
namespace {

/// The kernel fills at most 32 KiB at a time.
constexpr std::size_t kBufferSize = 65536;

/// A dump during which the kernel's list changed is asked for again, this often.
constexpr int kRetries = 5;

void ask(int descriptor, std::uint16_t type, std::uint32_t sequence) {
  struct {
    nlmsghdr header;
    rtgenmsg body;
  } request{};
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.body);
  request.header.nlmsg_type = type;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.header.nlmsg_seq = sequence;
  request.body.rtgen_family = AF_UNSPEC;
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  if (sendto(descriptor, &request, request.header.nlmsg_len, 0, reinterpret_cast<const sockaddr*>(&kernel),
             sizeof kernel) < 0) {
    throw SystemError("sendto(AF_NETLINK)", std::strerror(errno), errno);
  }
}

std::size_t receive(int descriptor, std::vector<char>& buffer) {
  ssize_t size = -1;
  do {
    size = recv(descriptor, buffer.data(), buffer.size(), MSG_TRUNC);
  } while (size < 0 && errno == EINTR);
  if (size < 0) throw SystemError("recv(AF_NETLINK)", std::strerror(errno), errno);
  if (static_cast<std::size_t>(size) > buffer.size()) {
    throw SystemError("recv(AF_NETLINK)", std::strerror(EMSGSIZE), EMSGSIZE);
  }
  return static_cast<std::size_t>(size);
}

void throw_error(const nlmsghdr& message) {
  nlmsgerr error{};
  if (message.nlmsg_len >= NLMSG_LENGTH(sizeof error)) std::memcpy(&error, NLMSG_DATA(&message), sizeof error);
  throw SystemError("netlink dump", std::strerror(-error.error), -error.error);
}

/// Reads one dump whole, so that a repeated one leaves no halves. False where the list changed meanwhile.
bool read_dump(int descriptor, std::uint32_t sequence, std::vector<std::vector<char>>& parts) {
  bool consistent = true;
  std::vector<char> buffer(kBufferSize);
  for (;;) {
    const std::size_t size = receive(descriptor, buffer);
    parts.emplace_back(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
    auto left = static_cast<unsigned>(size);
    for (auto* message = reinterpret_cast<const nlmsghdr*>(parts.back().data()); NLMSG_OK(message, left);
         message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_seq != sequence) continue;
      if ((message->nlmsg_flags & NLM_F_DUMP_INTR) != 0) consistent = false;
      if (message->nlmsg_type == NLMSG_ERROR) throw_error(*message);
      if (message->nlmsg_type == NLMSG_DONE) return consistent;
    }
  }
}

}  // namespace

void dump_netlink(std::uint16_t type, const std::function<void(const nlmsghdr&)>& each) {
  const Socket socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!socket) throw SystemError("socket(AF_NETLINK)", std::strerror(errno), errno);
  std::vector<std::vector<char>> parts;
  std::uint32_t sequence = 0;
  do {
    parts.clear();
    ask(socket.get(), type, ++sequence);
  } while (!read_dump(socket.get(), sequence, parts) && sequence < kRetries);
  for (const std::vector<char>& part : parts) {
    auto left = static_cast<unsigned>(part.size());
    for (auto* message = reinterpret_cast<const nlmsghdr*>(part.data()); NLMSG_OK(message, left);
         message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_seq == sequence && message->nlmsg_type != NLMSG_DONE) each(*message);
    }
  }
}

void each_attribute(const rtattr* first, std::size_t bytes, const std::function<void(const rtattr&)>& each) {
  auto left = static_cast<unsigned>(bytes);
  for (const rtattr* attribute = first; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
    each(*attribute);
  }
}

}  // namespace ringrun
