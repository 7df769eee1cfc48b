#include <iostream>

#include "launcher/launcher.hpp"
#include "lib/host/standard_streams.hpp"

int main(int argc, char** argv) {
  ringrun::open_closed_standard_streams();
  return ringrun::run({argv + 1, argv + argc}, {std::cin, std::cout, std::cerr});
}
