#include "worker/cli/long_options.hpp"

#include <algorithm>
#include <type_traits>

#include "lib/error.hpp"
#include "worker/cli/option_reader.hpp"

namespace ringrun::worker {
namespace {

struct LongOption {
  std::string name;
  bool of_nccl_tests = false;  ///< all of those have a letter too, and none else
  bool takes_value = true;
};

/// cxxopts 3.0 has one long name an option, later ones have a list.
template <typename Names>
std::string first_of(const Names& names) {
  if constexpr (std::is_same_v<Names, std::string>) {
    return names;
  } else {
    return names.empty() ? std::string() : names.front();
  }
}

std::vector<LongOption> long_options(const cxxopts::Options& table) {
  std::vector<LongOption> options;
  for (const std::string& group : table.groups()) {
    for (const auto& option : table.group_help(group).options)
      options.push_back({first_of(option.l), !option.s.empty(), !option.is_boolean});
  }
  // The groups come in any order.
  std::sort(options.begin(), options.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return options;
}

const LongOption* find(const std::vector<LongOption>& options, const std::string& name) {
  const auto exact = std::find_if(options.begin(), options.end(), [&](const auto& each) { return each.name == name; });
  if (exact != options.end()) return &*exact;
  std::vector<const LongOption*> longer;
  for (const LongOption& option : options) {
    if (option.name.rfind(name, 0) == 0) longer.push_back(&option);
  }
  const auto known_there =
      std::stable_partition(longer.begin(), longer.end(), [](auto* each) { return each->of_nccl_tests; });
  if (known_there == longer.begin() + 1 || longer.size() == 1) return longer.front();
  if (longer.empty()) return nullptr;
  std::string names;
  for (const LongOption* option : longer) names += (names.empty() ? "--" : ", --") + option->name;
  throw UserError("--" + name + " is the beginning of several options: " + names, "write more of its name");
}

}  // namespace

std::vector<std::string> with_whole_names(const cxxopts::Options& table, const std::vector<std::string>& arguments) {
  const std::vector<LongOption> options = long_options(table);
  std::vector<std::string> whole;
  for (const std::string& argument : arguments) {
    const std::size_t sign = std::min(argument.find('='), argument.size());
    const LongOption* option =
        argument.rfind("--", 0) == 0 && sign > 2 ? find(options, argument.substr(2, sign - 2)) : nullptr;
    if (option != nullptr && !option->takes_value && sign < argument.size())
      throw UserError("--" + option->name + " takes no value, and was given '" + argument.substr(sign + 1) + "'",
                      kHelpRemedy);
    whole.push_back(option == nullptr ? argument : "--" + option->name + argument.substr(sign));
  }
  return whole;
}

}  // namespace ringrun::worker
