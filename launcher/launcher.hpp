#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace ringrun {

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

/// The whole program: `args` without its name; returns the exit code. Throws nothing but std::bad_alloc.
int run(const std::vector<std::string>& args, const Streams& streams);

}  // namespace ringrun
