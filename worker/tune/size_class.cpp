#include "worker/tune/size_class.hpp"

#include <algorithm>
#include <cmath>

namespace ringrun::worker {

SizeClass size_class_of(std::int64_t bytes) {
  return bytes <= kLargestSmall ? SizeClass::kSmall : bytes >= kSmallestLarge ? SizeClass::kLarge : SizeClass::kMiddle;
}

const char* name_of(SizeClass size_class) {
  switch (size_class) {
    case SizeClass::kSmall:
      return "small";
    case SizeClass::kMiddle:
      return "middle";
    case SizeClass::kLarge:
      break;
  }
  return "large";
}

std::string text_of(SizeClass size_class) {
  switch (size_class) {
    case SizeClass::kSmall:
      return "small (up to 4K)";
    case SizeClass::kMiddle:
      return "middle (between 4K and 4M)";
    case SizeClass::kLarge:
      break;
  }
  return "large (4M and more)";
}

std::vector<SizeClass> classes_of(const std::vector<std::int64_t>& sizes) {
  std::vector<SizeClass> classes;
  for (std::int64_t bytes : sizes) {
    const SizeClass of_size = size_class_of(bytes);
    if (classes.empty() || classes.back() != of_size) classes.push_back(of_size);
  }
  return classes;
}

std::vector<std::int64_t> default_tuned_sizes() {
  return {8, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 8 << 20, 32 << 20};
}

std::vector<std::int64_t> thinned_sizes(const std::vector<std::int64_t>& sizes) {
  constexpr std::size_t kMost = 12;
  if (sizes.size() <= kMost) return sizes;
  std::vector<std::int64_t> thinned;
  for (std::size_t i = 0; i < kMost; ++i) thinned.push_back(sizes[i * (sizes.size() - 1) / (kMost - 1)]);
  return thinned;
}

std::vector<int> first_iterations(const std::vector<std::int64_t>& sizes) {
  constexpr std::int64_t kBytes = 4 << 20;
  std::vector<int> iterations;
  for (std::int64_t bytes : sizes)
    iterations.push_back(static_cast<int>(std::clamp<std::int64_t>(kBytes / std::max<std::int64_t>(bytes, 1), 1, 50)));
  return iterations;
}

std::vector<int> iterations_for(const std::vector<double>& seconds) {
  constexpr double kSeconds = 0.010;
  std::vector<int> iterations;
  for (double one : seconds)
    iterations.push_back(static_cast<int>(std::clamp(std::ceil(kSeconds / std::max(one, 1e-6)), 1.0, 1000.0)));
  return iterations;
}

}  // namespace ringrun::worker
