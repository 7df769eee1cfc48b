#include "lib/host/configuration_facts.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <future>
#include <sstream>
#include <thread>

#include "lib/host/software_facts.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

using Settings = std::map<std::string, std::string>;

bool steers_communication(const std::string& name) {
  constexpr std::string_view kPrefixes[] = {"NCCL_", "UCX_", "GLOO_", "OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return name.rfind(prefix, 0) == 0; });
}

/// NCCL trims nothing: a blank is part of the name or the value.
Settings read_nccl_file(const fs::path& file) {
  Settings settings;
  for (const std::string& line : read_lines(file)) {
    const std::size_t equals = line.find('=');
    if (line.rfind('#', 0) == 0 || equals == std::string::npos) continue;
    // The first word counts: NCCL does not overwrite what is set.
    settings.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return settings;
}

Settings read_mca_file(const fs::path& file) {
  Settings settings;
  for (const std::string& whole : read_lines(file)) {
    const std::string line(trimmed(whole));
    const std::size_t equals = line.find('=');
    // Behind the sign # is no comment any more.
    if (line.rfind('#', 0) == 0 || equals == std::string::npos) continue;
    const std::string name(trimmed(std::string_view(line).substr(0, equals)));
    settings[name] = std::string(trimmed(std::string_view(line).substr(equals + 1)));
  }
  return settings;
}

/// Where Open MPI 4 and 5, PRRTE and PMIx read parameters: the user's files and the installation's.
std::map<std::string, Settings> read_mca_files(const Environment& environment, const fs::path& root) {
  std::map<std::string, Settings> files;
  const auto add = [&](const std::string& shown, const fs::path& file) {
    Settings settings = read_mca_file(host_path(root, file));
    if (!settings.empty()) files.emplace(shown, std::move(settings));
  };
  const std::string home = variable(environment, "HOME");
  for (const char* name : {".openmpi/mca-params.conf", ".prte/mca-params.conf", ".pmix/mca-params.conf"}) {
    if (!home.empty()) add(std::string("~/") + name, fs::path(home) / name);
  }
  const fs::path prefix = open_mpi_prefix(find_open_mpi_daemon(environment, root), root);
  std::vector<fs::path> folders{"/etc/openmpi", "/etc/prte", "/etc/pmix", "/etc/openmpi-x86_64"};
  // The folder etc of an installation in /usr is /etc, where distributions keep these files apart.
  if (!prefix.empty() && prefix != "/usr") folders.push_back(prefix / "etc");
  for (const fs::path& folder : folders) {
    for (const char* name : {"openmpi-mca-params.conf", "prte-mca-params.conf", "pmix-mca-params.conf"}) {
      add((folder / name).string(), folder / name);
    }
  }
  return files;
}

/// The address of the first line that has the name: the resolver takes files first wherever people leave it alone.
std::string address_in_hosts_file(const std::string& hostname, const fs::path& root) {
  std::string ipv6;
  for (const std::string& line : read_lines(host_path(root, "/etc/hosts"))) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string address;
    words >> address;
    for (std::string name; words >> name;) {
      if (name != hostname) continue;
      if (address.find(':') == std::string::npos) return address;
      if (ipv6.empty()) ipv6 = address;
    }
  }
  return ipv6;
}

std::string ask_resolver(const std::string& hostname) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(hostname.c_str(), nullptr, &wanted, &found) != 0 || found == nullptr) return {};
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr, text, sizeof text);
  freeaddrinfo(found);
  return text;
}

}  // namespace

std::string resolved_address(const std::string& hostname, std::chrono::milliseconds deadline) {
  std::promise<std::string> promise;
  std::future<std::string> answer = promise.get_future();
  std::thread([hostname, promise = std::move(promise)]() mutable {
    promise.set_value(ask_resolver(hostname));
  }).detach();
  return answer.wait_for(deadline) == std::future_status::ready ? answer.get() : "";
}

ConfigurationFacts read_configuration_facts(const Environment& environment, const std::string& hostname,
                                            const fs::path& root) {
  ConfigurationFacts facts;
  for (const auto& [name, value] : environment) {
    if (steers_communication(name)) facts.environment.emplace(name, value);
  }
  const auto add = [&](const std::string& shown, const fs::path& file) {
    Settings settings = read_nccl_file(host_path(root, file));
    if (!settings.empty()) facts.nccl_files.emplace(shown, std::move(settings));
  };
  add("/etc/nccl.conf", "/etc/nccl.conf");
  const std::string own_file = variable(environment, "NCCL_CONF_FILE");
  const std::string home = variable(environment, "HOME");
  if (!own_file.empty()) {
    add(own_file, own_file);
  } else if (!home.empty()) {
    add("~/.nccl.conf", fs::path(home) / ".nccl.conf");
  }
  facts.mca_files = read_mca_files(environment, root);
  facts.hostname_address = address_in_hosts_file(hostname, root);
  return facts;
}

}  // namespace ringrun
