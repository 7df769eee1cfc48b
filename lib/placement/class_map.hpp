#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/placement/job_plan.hpp"

namespace ringrun {

/// The class of every host, several in one letter, or each in several where there are more than 64 classes: short where
/// hosts of different classes alternate.
std::string write_class_map(const JobPlan& plan);

/// The hosts that are not of class 0, of a map of so many hosts and classes. Throws UserError where it is no such map.
std::vector<HostRange> read_class_map(std::string_view map, int hosts, std::size_t classes);

/// Appends a host behind those that are there already.
void add_host(std::vector<HostRange>& exceptions, int host, int of);

}  // namespace ringrun
