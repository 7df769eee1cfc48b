#include "lib/explain/container_entry.hpp"

#include <array>
#include <string>

#include "lib/explain/host_queries.hpp"

namespace ringrun {
namespace {

constexpr std::string_view kNotInstalled = "There is no docker on the PATH of that host's remote shell.";
constexpr std::string_view kInstall =
    "sudo apt-get install -y docker.io   # Debian 13: and docker-cli\n"
    "# it is there, elsewhere: an entry for PATH in /etc/environment";
constexpr std::string_view kNoEngine = "Docker's engine does not run there, or listens elsewhere.";
constexpr std::string_view kStartEngine = "sudo systemctl enable --now docker";
constexpr std::string_view kNotAllowed = "Docker's socket there is not open to this user.";
constexpr std::string_view kAllow =
    "sudo usermod -aG docker \"$(id -un)\"   # holds from the next login on\n"
    "# its members are as good as root there; without that: an sshd in the container, and port= in place of via=";

// Of docker 20.10 to 29, bash, dash, zsh, fish, csh, and Docker Desktop's stand-in in WSL2.
constexpr std::array kRefusals = {
    EntryRefusal{"no such container", "The host has no container of that name.",
                 "docker ps --all --format '{{{{.Names}}}} {{{{.Status}}}}'   # the names that there are\n"
                 "docker compose --file hostfiles/nodes/docker/compose.yaml --profile gpu up --detach   # makes the "
                 "example's; without GPUs: --profile cpu"},
    EntryRefusal{"is not running", "The container has ended, or was never started.",
                 "docker start {container}\n# where it ends again:\ndocker logs --tail 20 {container}"},
    EntryRefusal{"is restarting", "The container ends as soon as it starts.", "docker logs --tail 20 {container}"},
    EntryRefusal{"is paused", "The container's processes are stopped.", "docker unpause {container}"},
    EntryRefusal{"permission denied while trying to connect to the docker", kNotAllowed, kAllow},
    EntryRefusal{"cannot connect to the docker daemon", kNoEngine, kStartEngine},
    EntryRefusal{"failed to connect to the docker api", kNoEngine, kStartEngine},
    EntryRefusal{"error during connect", kNoEngine, kStartEngine},
    EntryRefusal{"oci runtime exec failed", "The container has no /bin/sh, or its engine cannot start anything in it.",
                 "docker exec {container} /bin/sh -c true   # says more\ndocker restart {container}"},
    EntryRefusal{"docker: command not found", kNotInstalled, kInstall},
    EntryRefusal{"docker: not found", kNotInstalled, kInstall},
    EntryRefusal{"command not found: docker", kNotInstalled, kInstall},
    EntryRefusal{"unknown command: docker", kNotInstalled, kInstall},
    EntryRefusal{"'docker' could not be found in this wsl", "Docker Desktop is not let into this WSL2 distribution.",
                 "# in Docker Desktop: Settings, Resources, WSL integration; better, since its host network is not the "
                 "computer's, docker-ce inside WSL2:\nsudo apt-get install -y docker.io"},
};

}  // namespace

const EntryRefusal* find_entry_refusal(std::string_view said) {
  const std::string text = lower_case(said);
  for (const EntryRefusal& refusal : kRefusals) {
    if (contains_word(text, refusal.words)) return &refusal;
  }
  return nullptr;
}

}  // namespace ringrun
