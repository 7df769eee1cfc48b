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

/// The whole program: `program` is the name that it is called by, `args` are the words behind it; returns the exit
/// code. Throws nothing but std::bad_alloc.
int run(const std::string& program, const std::vector<std::string>& args, const Streams& streams);

}  // namespace ringrun
