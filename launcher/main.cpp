#include <algorithm>
#include <iostream>
#include <string>

#include "launcher/launcher.hpp"
#include "lib/host/standard_streams.hpp"

int main(int argc, char** argv) {
  ringrun::open_closed_standard_streams();
  const std::string program = argc > 0 ? argv[0] : "ringrun";
  return ringrun::run(program, {argv + std::min(argc, 1), argv + argc}, {std::cin, std::cout, std::cerr});
}
