#include "launcher/probe/address_lookup.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <strings.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <system_error>
#include <thread>

namespace ringrun {
namespace {

constexpr std::size_t kMostThreads = 256;

/// What the threads share with the caller, whom they may outlive.
struct Board {
  std::mutex mutex;
  std::condition_variable changed;
  AddressLookup lookup;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> results;
  std::size_t next = 0;
  std::size_t answered = 0;
};

void work(const std::shared_ptr<Board>& board) {
  std::unique_lock lock(board->mutex);
  while (board->next < board->names.size()) {
    const std::size_t place = board->next++;
    lock.unlock();
    std::vector<std::string> addresses = board->lookup(board->names[place]);
    lock.lock();
    board->results[place] = std::move(addresses);
    ++board->answered;
    board->changed.notify_one();
  }
}

std::string numeric(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text, sizeof text);
  }
  return text;
}

std::vector<std::string> addresses_of(const std::string& name, int flags) {
  addrinfo hints{};
  hints.ai_flags = flags;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  std::vector<std::string> addresses;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &list) != 0) return addresses;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    addresses.push_back(numeric(entry->ai_addr));
  }
  freeaddrinfo(list);
  return addresses;
}

}  // namespace

std::vector<std::vector<std::string>> look_up(const std::vector<std::string>& names, const AddressLookup& lookup,
                                              std::chrono::milliseconds deadline) {
  const auto until = std::chrono::steady_clock::now() + deadline;
  const auto board = std::make_shared<Board>();
  board->lookup = lookup;
  board->names = names;
  board->results.resize(names.size());
  std::size_t threads = 0;
  try {
    for (; threads < std::min(names.size(), kMostThreads); ++threads) std::thread(work, board).detach();
  } catch (const std::system_error&) {
    // A limit on processes: those that there are do the work.
    if (threads == 0) throw;
  }
  std::unique_lock lock(board->mutex);
  board->changed.wait_until(lock, until, [&] { return board->answered == names.size(); });
  board->next = names.size();
  return board->results;
}

std::vector<std::string> ask_resolver(const std::string& name) {
  // The resolver's state is the thread's own; in the environment the limits would reach ssh and the job too.
  if (std::getenv("RES_OPTIONS") == nullptr && (_res.options & RES_INIT) == 0 && res_init() == 0) {
    _res.retrans = 2;
    _res.retry = 1;
  }
  return addresses_of(name, 0);
}

std::vector<std::string> read_numeric(const std::string& name) {
  return name.empty() ? std::vector<std::string>() : addresses_of(name, AI_NUMERICHOST);
}

std::vector<std::string> read_hosts_file(const std::string& path, const std::string& name) {
  std::vector<std::string> addresses;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string address;
    words >> address;
    for (std::string word; words >> word;) {
      if (strcasecmp(word.c_str(), name.c_str()) != 0) continue;
      const std::vector<std::string> found = read_numeric(address);
      addresses.insert(addresses.end(), found.begin(), found.end());
      break;
    }
  }
  return addresses;
}

}  // namespace ringrun
