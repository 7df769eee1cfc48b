#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringrun::worker {

/// Messages that are tuned for apart: what their time depends on differs.
enum class SizeClass { kSmall, kMiddle, kLarge };

inline constexpr std::int64_t kLargestSmall = 4 << 10;   ///< bytes; latency
inline constexpr std::int64_t kSmallestLarge = 4 << 20;  ///< bytes; bandwidth

SizeClass size_class_of(std::int64_t bytes);

/// "small (up to 4K)".
std::string text_of(SizeClass size_class);
/// "small".
const char* name_of(SizeClass size_class);

/// Those that some of the sizes are in, from small to large.
std::vector<SizeClass> classes_of(const std::vector<std::int64_t>& sizes);

/// Two or three of each class, up to 32 MiB, so that a trial is short on a slow network too.
std::vector<std::int64_t> default_tuned_sizes();

/// At most twelve of them, spread evenly, with the first and the last one.
std::vector<std::int64_t> thinned_sizes(const std::vector<std::int64_t>& sizes);

/// Of each size, iterations of the first trial, of which no times are known yet.
std::vector<int> first_iterations(const std::vector<std::int64_t>& sizes);

/// Of each size, iterations of a trial, where one operation takes `seconds`: as many as last 10 ms, at most 1000.
std::vector<int> iterations_for(const std::vector<double>& seconds);

}  // namespace ringrun::worker
