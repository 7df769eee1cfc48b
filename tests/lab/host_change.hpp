#pragma once

#include <string>
#include <vector>

#include "tests/lab/lab_holder.hpp"

namespace ringrun::test {

/// Runs `tests/lab/lab --lab FOLDER words…`. Throws std::runtime_error with the lab's own words where that fails.
void run_lab_command(const LabHolder& lab, std::vector<std::string> words);

/// One thing made on a host as it is on somebody's machine, undone at this object's end. `thing` is what
/// tests/lab/host_change lists, with its arguments.
class HostChange {
 public:
  HostChange(const LabHolder& lab, std::string host, std::vector<std::string> thing);
  ~HostChange();
  HostChange(const HostChange&) = delete;
  HostChange& operator=(const HostChange&) = delete;

 private:
  const LabHolder& lab_;
  std::string host_;
  std::vector<std::string> thing_;
};

/// A real docker engine on a host, with its docker0 and the image that containers of the lab are made of.
class DockerEngine {
 public:
  DockerEngine(const LabHolder& lab, std::string host);
  ~DockerEngine();
  DockerEngine(const DockerEngine&) = delete;
  DockerEngine& operator=(const DockerEngine&) = delete;

 private:
  const LabHolder& lab_;
  std::string host_;
};

/// A container on a host that has an engine; by its name it is a host of the lab of its own. `options` are those of
/// `docker run`.
class Container {
 public:
  Container(const LabHolder& lab, std::string host, std::string name, const std::vector<std::string>& options);
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  /// A real sshd in it, at a port of the container's own, which every host's ssh may log in to.
  void start_sshd(int port);

 private:
  const LabHolder& lab_;
  std::string host_;
  std::string name_;
};

}  // namespace ringrun::test
