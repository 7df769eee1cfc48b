#pragma once

#include <string>

namespace ringrun::test {

/// What this machine lacks for hostfiles/examples/ddp_allreduce.py on the lab's hosts, as a sentence; empty: nothing.
std::string why_no_pytorch();

/// As it is typed in the build's bin folder.
inline constexpr const char* ddp_allreduce = "hostfiles/examples/ddp_allreduce.py";

/// Both ranks of a job, on a and b, joined through gloo at a place that begins so, and every element was right.
/// `output` is what the job printed.
void expect_right_all_reduce(const std::string& output, const std::string& place);

}  // namespace ringrun::test
