#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "worker/sweep/row.hpp"

namespace ringrun::worker {

/// The "# " lines of --expected under a row: the ceiling, how much of it each measurement reached, and how the library
/// did it; then what is impossible, or looks so. Nothing where nothing is expected.
void print_expected(std::ostream& out, const Row& row);

/// The same of one measurement, for its object in the JSON. What is unknown is null.
nlohmann::json expected_json(const Expectation& expected);

/// "ceiling_gbs,reached_pct,algorithm,protocol,channels,estimate_us,impossible"
std::string expected_heading();
std::string expected_columns(const std::optional<Expectation>& expected);

}  // namespace ringrun::worker
