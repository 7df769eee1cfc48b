#include <algorithm>
#include <iostream>

#include "lib/host/standard_streams.hpp"
#include "worker/worker.hpp"

int main(int argc, char** argv) {
  ringrun::open_closed_standard_streams();
  return ringrun::worker::run_worker(argc > 0 ? argv[0] : "worker", {argv + std::min(argc, 1), argv + argc}, std::cout,
                                     std::cerr);
}
