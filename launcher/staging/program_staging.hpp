#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "launcher/launch_context.hpp"
#include "launcher/probe/probe.hpp"

namespace ringrun {

/// What was copied, for people.
struct CopiedFile {
  std::uint64_t bytes = 0;
  std::vector<std::string> hosts;
};

/// Copies what hosts lack and are to have: a program that is missing there, or that --preload-binary asks for, and the
/// files of --preload-files. Every host that needs one is asked at once, and gets what it does not have yet. The
/// answers then say where each program stands, as if it had always been there, or in `copies` why it cannot. With
/// --dry-run and --doctor nothing is copied, and the answers are as they would be. Returns what was copied by name.
std::map<std::string, CopiedFile> stage_programs(const LaunchContext& context, HostProbe& probe,
                                                 std::vector<HostAnswer>& answers);

/// The program has ranks on this host, or may have.
bool may_run_on(const JobProgram& program, const Host& host);

}  // namespace ringrun
