#include "launcher/probe/agent.hpp"

#include <istream>
#include <ostream>
#include <string>

#include "lib/host/host_facts.hpp"

namespace ringrun {

int run_agent(std::istream& in, std::ostream& out) {
  std::string line;
  if (!std::getline(in, line)) return 0;
  // A line of its own, whatever stood on the line before.
  out << '\n' << kAnswerMark << to_json(read_host_facts(host_question_from_json(line))) << std::endl;
  return 0;
}

}  // namespace ringrun
