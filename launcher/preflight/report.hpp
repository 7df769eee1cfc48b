#pragma once

#include <iosfwd>

#include "launcher/preflight/network_settings.hpp"
#include "lib/explain/finding.hpp"
#include "lib/explain/situation.hpp"

namespace ringrun {

/// The report of --doctor for people: hosts, their interfaces, who reaches whom, what will be used, findings.
void print_report(std::ostream& out, const Situation& situation, const NetworkSettings& settings,
                  const Findings& findings);

/// The same as one JSON object {schema, hosts, links, network, findings}.
void print_report_json(std::ostream& out, const Situation& situation, const NetworkSettings& settings,
                       const Findings& findings);

}  // namespace ringrun
