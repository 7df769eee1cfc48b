#include "launcher/engine/plan_variables.hpp"

#include <algorithm>

namespace ringrun {
namespace {

// Well below the kernel's 128 KiB for a variable with its name.
constexpr std::size_t kPiece = std::size_t{120} << 10;

std::string name_of_piece(std::size_t piece) {
  return piece == 0 ? kPlanVariable : kPlanVariable + ("_" + std::to_string(piece + 1));
}

}  // namespace

Environment plan_variables(const std::string& plan) {
  Environment variables;
  const std::size_t pieces = std::max<std::size_t>(1, (plan.size() + kPiece - 1) / kPiece);
  for (std::size_t piece = 0; piece < pieces; ++piece)
    variables[name_of_piece(piece)] = plan.substr(piece * kPiece, kPiece);
  return variables;
}

bool is_plan_variable(const std::string& name) {
  const std::string further = std::string(kPlanVariable) + "_";
  return name == kPlanVariable || (name.rfind(further, 0) == 0 && name.size() > further.size() &&
                                   name.find_first_not_of("0123456789", further.size()) == std::string::npos);
}

std::string read_plan_variables(const std::function<const char*(const char*)>& variable) {
  std::string plan;
  for (std::size_t piece = 0;; ++piece) {
    const char* text = variable(name_of_piece(piece).c_str());
    if (text == nullptr) return plan;
    plan += text;
  }
}

}  // namespace ringrun
