#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "lib/host/standard_streams.hpp"
#include "worker/worker.hpp"

int main(int argc, char** argv) {
  using ringrun::worker::OutputStream;
  // Results that go nowhere are an error, also where standard output was closed.
  ringrun::open_closed_standard_streams(O_RDONLY);
  ringrun::worker::survive_readers();
  OutputStream out(STDOUT_FILENO, OutputStream::WithoutReader::kEndsTheProcess);
  return ringrun::worker::run_worker(argc > 0 ? argv[0] : "worker", {argv + std::min(argc, 1), argv + argc}, out,
                                     std::cerr);
}
