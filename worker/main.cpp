#include <iostream>

#include "worker/worker.hpp"

int main(int argc, char** argv) { return ringrun::worker::run_worker({argv + 1, argv + argc}, std::cout, std::cerr); }
