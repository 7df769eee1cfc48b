#include <iostream>

#include "launcher/launcher.hpp"

int main(int argc, char** argv) { return ringrun::run({argv + 1, argv + argc}, {std::cin, std::cout, std::cerr}); }
