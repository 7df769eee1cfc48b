#include "launcher/engine/mpirun.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "launcher/engine/left_over.hpp"
#include "launcher/launch_errors.hpp"
#include "launcher/run/capture.hpp"
#include "lib/host/build_id.hpp"

namespace ringrun {
namespace {

constexpr const char* kInstall = "install Open MPI on every host: apt install openmpi-bin";

}  // namespace

Engine parse_mpirun_version(const std::string& path, const std::string& text) {
  const std::string mark = "(Open MPI) ";
  const std::size_t at = text.find(mark);
  // A script of that name that starts ringrun, which refuses.
  if (text.find(kOwnEngine) != std::string::npos)
    throw HostError(path + " leads back to ringrun",
                    "name the folder of Open MPI with --prefix DIR, or put it first on PATH");
  if (at == std::string::npos) {
    const bool hydra = text.find("HYDRA") != std::string::npos || text.find("MPICH") != std::string::npos;
    const bool intel = text.find("Intel") != std::string::npos;
    throw HostError(path +
                        (hydra   ? " is MPICH's"
                         : intel ? " is Intel MPI's"
                                 : " is not Open MPI's") +
                        " mpirun; ringrun needs Open MPI's",
                    std::string(kInstall) + ", and put it first on PATH or name it with --prefix DIR");
  }
  Engine engine{EngineKind::openmpi4, path, text.substr(at + mark.size())};
  engine.version.erase(std::min(engine.version.find_first_of(" \r\n"), engine.version.size()));
  int major = 0;
  std::from_chars(engine.version.data(), engine.version.data() + engine.version.size(), major);
  if (major < 4) throw HostError(path + " is Open MPI " + engine.version + ", ringrun needs 4.1 or newer", kInstall);
  if (major > 4) engine.kind = EngineKind::openmpi5;
  return engine;
}

bool is_ringrun(const std::string& path, const std::string& ringrun) {
  std::error_code ignored;
  if (std::filesystem::equivalent(path, ringrun, ignored)) return true;
  const std::string own = own_build_id();
  return !own.empty() && build_id_of(path) == own;
}

std::string find_engine_path(const std::string& name, const std::optional<std::string>& prefix,
                             const Environment& environment, const std::string& ringrun) {
  const auto is_self = [&](const std::string& path) { return is_ringrun(path, ringrun); };
  std::optional<std::string> path;
  if (prefix) path = find_on_path({{"PATH", *prefix + "/bin"}}, name, is_self);
  if (!path) path = find_on_path(environment, name, is_self);
  if (!path) throw HostError("no " + name + " is on PATH", kInstall);
  return *path;
}

Engine find_mpirun(const std::optional<std::string>& prefix, const Environment& environment,
                   const std::string& ringrun) {
  const std::string path = find_engine_path("mpirun", prefix, environment, ringrun);
  const Captured said = capture_all({{{path, "--version"}, "", std::chrono::seconds(20)}}, 1)[0];
  if (said.end == Captured::End::not_started) {
    const bool short_of_processes = said.code == EAGAIN;
    throw HostError(
        path + " cannot be started: " + std::strerror(said.code),
        short_of_processes ? "this user has too many processes for ulimit -u: end some, or raise it" : kInstall);
  }
  return parse_mpirun_version(path, said.out + said.err);
}

}  // namespace ringrun
