#include "worker/report/highlights.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/text/byte_size.hpp"

namespace ringrun::worker {
namespace {

std::string name_in_table(const Row& row) {
  const Operation& operation = row.operation;
  std::string name(name_of(operation.type));
  if (operation.description().reduces) name += " " + std::string(name_of(operation.op));
  if (operation.root >= 0) name += " root " + std::to_string(operation.root);
  return name;
}

std::string size_text(std::size_t bytes) {
  return bytes < 1024 ? std::to_string(bytes) + " B" : format_byte_size(static_cast<std::int64_t>(bytes));
}

}  // namespace

void Highlights::add(const Row& row) {
  std::string name = name_in_table(row);
  if (has_groups_) name += fmt::format(", group {}", row.group);
  auto [points, is_new] = points_.try_emplace(name);
  if (is_new) names_.push_back(name);
  const bool bus = row.operation.ranks > 1;
  const Bandwidth& bandwidth = row.out_of_place.bandwidth;
  points->second.push_back(
      {row.operation.bytes(), row.out_of_place.seconds, bus ? bandwidth.bus : bandwidth.algorithm, bus});
}

std::vector<std::string> Highlights::lines() const {
  std::vector<std::string> lines;
  for (const std::string& name : names_) {
    const std::vector<Point>& points = points_.at(name);
    const auto by_size = [](const Point& a, const Point& b) { return a.bytes < b.bytes; };
    const Point& smallest = *std::min_element(points.begin(), points.end(), by_size);
    const Point& peak = *std::max_element(points.begin(), points.end(),
                                          [](const Point& a, const Point& b) { return a.bandwidth < b.bandwidth; });
    std::size_t half = peak.bytes;
    for (const Point& point : points) {
      if (2 * point.bandwidth >= peak.bandwidth) half = std::min(half, point.bytes);
    }
    lines.push_back(fmt::format("# Summary: {}: {} in {:.2f} us, peak {} {:.2f} GB/s at {}, half of it from {}\n", name,
                                size_text(smallest.bytes), smallest.seconds * 1e6, peak.bus ? "busbw" : "algbw",
                                peak.bandwidth, size_text(peak.bytes), size_text(half)));
  }
  return lines;
}

}  // namespace ringrun::worker
