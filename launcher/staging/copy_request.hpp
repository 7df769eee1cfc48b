#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/host/host_facts.hpp"

namespace ringrun {

/// A file for another host, or a folder that nothing is in.
struct CopyFile {
  /// Its path in the folder that it goes to, or an absolute path.
  std::string name;
  std::uint64_t size = 0;
  /// Of its content.
  std::string hash;
  bool executable = false;
  /// Without size and hash.
  bool folder = false;
};

/// What the launcher asks an agent to have on its host. Without `sent` it only asks what is there; with it the contents
/// of those files follow behind the request's line, one after the other.
struct CopyRequest {
  /// Of a program's copy: the program, and what belongs beside it.
  std::vector<CopyFile> files;
  /// Where they are to stand; "": in the user's cache, in a folder that the files' own content names.
  std::string folder;
  /// The XDG_CACHE_HOME that the user says for that host, "" for the host's own.
  std::string cache_home;
  /// Places in `files`.
  std::vector<std::size_t> sent;
  /// Names of libraries that the launching host would copy where there are none.
  std::vector<std::string> libraries;
  /// The program as its ranks will find it: what is copied is looked at in the same way.
  HostQuestion question;
};

struct CopyAnswer {
  /// Where the files stand, or would.
  std::string folder;
  /// Places of those that are not there yet.
  std::vector<std::size_t> wanted;
  /// Of the request's, those that the loader does not find there.
  std::vector<std::string> lacking;
  /// Why they cannot be there, and what mends it; "" where they can.
  std::string problem;
  std::string remedy;
  /// Of the first file, where it is a program's copy that stands there.
  ProgramFacts program;
};

/// One line of JSON without its end.
std::string to_json(const CopyRequest& request);
std::string to_json(const CopyAnswer& answer);

/// Throw UserError where the text is none, or of another version of ringrun.
CopyRequest copy_request_from_json(std::string_view line);
CopyAnswer copy_answer_from_json(std::string_view line);

/// The bytes that follow a request's line.
std::uint64_t bytes_sent(const CopyRequest& request);

/// Names the folder of the cache: equal for files of the same names, contents and modes.
std::string name_of_copy(const std::vector<CopyFile>& files);

/// In that folder, where libraries stand that are copied with the program.
inline constexpr const char* kCopiedLibraries = "libraries";

}  // namespace ringrun
