// Chooses the network over MPI as the worker does before NCCL starts, and prints what each rank found.
//
//   network_choice_program          the hosts are those of the job
//   network_choice_program made     every rank is a host of its own, with one interface: "card0" with 127.0.0.1 on
//                                   rank 0, "card1" on rank 1, and so on
//   network_choice_program made N   the same, where rank N is in a network namespace of its own, so that nobody
//                                   reaches it
#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "lib/error.hpp"
#include "lib/mpi/session.hpp"
#include "worker/backend/mpi_team.hpp"
#include "worker/network/mpi_interfaces.hpp"
#include "worker/network/network_choice_over_mpi.hpp"

namespace {

using namespace ringrun;

/// Only loopback is there, and comes up. Connections that stand already, MPI's and the launcher's, stay.
void move_apart() {
  if (unshare(CLONE_NEWNET) != 0) throw SystemError("unshare(CLONE_NEWNET)", std::strerror(errno), errno);
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  const int result = ioctl(any, SIOCSIFFLAGS, &request);
  close(any);
  if (result != 0) throw SystemError("ioctl(SIOCSIFFLAGS)", std::strerror(errno), errno);
}

HostFacts facts_of_host(int rank) {
  HostFacts facts;
  facts.hostname = fmt::format("host{}", rank);
  facts.identity = facts.hostname;
  Interface card;
  card.name = fmt::format("card{}", rank);
  card.up = true;
  card.mtu = 65535;
  card.ipv4.push_back({"127.0.0.1", 8});
  facts.interfaces.push_back(card);
  return facts;
}

worker::NetworkQuestion question_about_made_hosts(const worker::MpiTeam& team) {
  worker::NetworkQuestion question;
  for (int rank = 0; rank < team.processes(); ++rank) question.leaders.push_back(rank);
  const HostFacts own = facts_of_host(team.process());
  question.read_quick = [own] { return worker::JobHost{own, {}, 1}; };
  question.read_all = [own] { return own; };
  return question;
}

worker::NetworkQuestion question_about_this_job(worker::MpiTeam& team) {
  worker::NetworkQuestion question;
  for (const std::string& leader : team.gather(std::to_string(team.local().leader))) {
    question.leaders.push_back(std::stoi(leader));
  }
  question.read_quick = worker::read_own_host;
  question.read_all = [] { return read_host_facts({}); };
  return question;
}

int choose(bool made, int apart) {
  worker::keep_mpi_off_dead_ends();
  mpi::Session session;
  worker::MpiTeam team;
  if (team.process() == apart) move_apart();
  worker::Watch watch({[](const auto&) {}, [] {}, [](const auto&, worker::Watch&) { _exit(4); }});
  worker::NetworkQuestion question = made ? question_about_made_hosts(team) : question_about_this_job(team);
  question.timeout = 20;
  team.barrier();
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = worker::choose_over_mpi(team, watch, question);
  const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - begin;
  std::string text = fmt::format("rank {}: {}\n", team.process(), outcome.socket_ifname);
  if (team.process() == 0) {
    for (const auto& remark : outcome.remarks) text += remark + "\n";
    text += worker::text_of(outcome.findings) + fmt::format("seconds: {:.3f}\n", lasted.count());
  }
  std::cout << text << std::flush;
  session.finish();
  return has_errors(outcome.findings) ? 8 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return choose(argc > 1, argc > 2 ? std::atoi(argv[2]) : -1);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    ringrun::mpi::Session::abort(1);
    return 1;
  }
}
