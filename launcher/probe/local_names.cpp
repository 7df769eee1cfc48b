#include "launcher/probe/local_names.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <uv.h>

#include <memory>
#include <set>

#include "lib/error.hpp"
#include "lib/host/host_name.hpp"
#include "lib/net/interface.hpp"

namespace ringrun {
namespace {

std::string numeric(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text, sizeof text);
  }
  return text;
}

std::set<std::string> own_addresses() {
  std::set<std::string> addresses;
  for (const Interface& interface : read_interfaces()) {
    for (const auto* list : {&interface.ipv4, &interface.ipv6}) {
      for (const InterfaceAddress& address : *list) addresses.insert(address.ip);
    }
  }
  return addresses;
}

bool is_own_name(const std::string& name) {
  const std::string hostname = host_name();
  return name == "localhost" || name == hostname || name == hostname.substr(0, hostname.find('.'));
}

/// One name on its way through the resolver. Every address is kept, since a name may have several.
struct Query {
  uv_getaddrinfo_t request{};
  std::vector<std::string> addresses;
};

void resolve(uv_loop_t& loop, const std::string& name, Query& query) {
  query.request.data = &query;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  uv_getaddrinfo(
      &loop, &query.request,
      [](uv_getaddrinfo_t* request, int, addrinfo* list) {
        for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
          static_cast<Query*>(request->data)->addresses.push_back(numeric(entry->ai_addr));
        }
        uv_freeaddrinfo(list);
      },
      name.c_str(), nullptr, &hints);
}

}  // namespace

std::vector<ResolvedName> resolve_names(const std::vector<std::string>& names) {
  uv_loop_t loop;
  if (const int status = uv_loop_init(&loop); status != 0)
    throw SystemError("uv_loop_init", uv_strerror(status), status);
  std::vector<std::unique_ptr<Query>> queries;
  for (const std::string& name : names) {
    queries.push_back(std::make_unique<Query>());
    if (name != "localhost") resolve(loop, name, *queries.back());
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);

  const std::set<std::string> own = own_addresses();
  std::vector<ResolvedName> results;
  for (std::size_t i = 0; i < names.size(); ++i) {
    ResolvedName result{is_own_name(names[i]), ""};
    for (const std::string& address : queries[i]->addresses) {
      result.local = result.local || own.count(address) != 0;
      // IPv4 first: it is what the other hosts of a mixed network share.
      if (result.address.empty() ||
          (result.address.find(':') != std::string::npos && address.find(':') == std::string::npos)) {
        result.address = address;
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace ringrun
