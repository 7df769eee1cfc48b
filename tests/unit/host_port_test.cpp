#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/descriptor.hpp"
#include "lib/host/host_facts.hpp"
#include "lib/host/port_facts.hpp"

namespace ringrun {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<in_port_t>(port));
  return address;
}

/// A listener on a port of the kernel's choice, on 127.0.0.1 alone, with SO_REUSEADDR as servers have it.
class Listener {
 public:
  Listener() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const int reuse = 1;
    setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(socket_.get(), 1), 0);
    getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  int port() const { return port_; }
  int descriptor() const { return socket_.get(); }

 private:
  Descriptor socket_;
  int port_ = 0;
};

TEST(MasterPort, ThatSomebodyListensOnIsTaken) {
  const Listener listener;
  EXPECT_FALSE(can_serve(listener.port()));
  EXPECT_EQ(port_holder(listener.port()).rfind("pid " + std::to_string(getpid()) + " (unit_host", 0), 0u)
      << port_holder(listener.port());
}

TEST(MasterPort, IsFreeAgainWhileOldConnectionsLinger) {
  int port = 0;
  {
    const Listener listener;
    port = listener.port();
    const Descriptor client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(port);
    ASSERT_EQ(connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    // The side that closes first keeps its address in TIME_WAIT.
    Descriptor server(accept(listener.descriptor(), nullptr, nullptr));
    shutdown(server.get(), SHUT_WR);
    char byte = 0;
    EXPECT_EQ(read(client.get(), &byte, 1), 0);
  }
  EXPECT_TRUE(can_serve(port));
  EXPECT_EQ(port_holder(port), "");
  EXPECT_EQ(free_port_in_range(port, port), 0) << "programs that do not set SO_REUSEADDR cannot have it";
}

TEST(MasterPort, IsPartOfTheFacts) {
  const Listener listener;
  HostQuestion question;
  question.master_port = listener.port();
  const HostFacts facts = read_host_facts(question);
  EXPECT_FALSE(facts.master_port_free);
  EXPECT_NE(facts.master_port_holder, "");
}

TEST(FreePort, LiesInTheAskedRangeWhateverIsTaken) {
  const Listener listener;
  EXPECT_EQ(free_port_in_range(listener.port(), listener.port()), 0);
  const int port = free_port_in_range(listener.port(), listener.port() + 50);
  EXPECT_GT(port, listener.port());
  EXPECT_LE(port, listener.port() + 50);
  EXPECT_EQ(free_port_in_range(70000, 70001), 0);
}

}  // namespace
}  // namespace ringrun
