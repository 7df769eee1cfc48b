#include "worker/sweep/soak.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "worker/sweep/location.hpp"

namespace ringrun::worker {

SoakOperations::SoakOperations(const SweepPlan& plan, int ranks) : plan_(plan), ranks_(ranks) {}

std::size_t SoakOperations::below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

Operation SoakOperations::next() {
  Operation like{plan_.kind, DataType::kFloat, ReduceOp::kSum, -1, false, ranks_, {}};
  do {
    like.type = plan_.types[below(plan_.types.size())];
    like.op = plan_.ops[below(plan_.ops.size())];
  } while (plan_.leaves_out(like.type, like.op));
  like.root = plan_.roots[below(plan_.roots.size())];
  like.in_place = like.description().defined_in_place && below(2) == 1;
  const double smallest = std::max(1.0, static_cast<double>(plan_.sizes.front()));
  const double largest = std::max(smallest, static_cast<double>(plan_.sizes.back()));
  const double share = static_cast<double>(below(1u << 20)) / ((1u << 20) - 1);
  const double bytes = std::min(largest, smallest * std::pow(largest / smallest, share));
  Operation operation = operation_of(like, static_cast<std::int64_t>(bytes));
  const std::size_t room = static_cast<std::size_t>(plan_.sizes.back()) - operation.bytes();
  operation.begin = below(room / size_of(operation.type) + 1);
  return operation;
}

SoakResult run_soak(const SweepPlan& plan, double seconds, Collective& collective, Team& team, Watch& watch,
                    const std::function<void(const SoakResult&)>& on_step) {
  const auto start = std::chrono::steady_clock::now();
  SoakOperations operations(plan, collective.ranks());
  SoakResult result;
  std::uint32_t seed = 0;
  for (bool goes_on = true; goes_on && result.wrong == 0;) {
    const Operation operation = operations.next();
    std::vector<WrongElements> here;
    {
      const auto phase = watch.enter("check of the " + text_of(operation), deadline_for(plan, operation, 2, 0));
      here = collective.verify(operation, ++seed);
    }
    std::uint64_t count = 0;
    for (const WrongElements& wrong : here) count += wrong.count;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto phase =
        watch.enter("exchange of what is wrong in the " + text_of(operation), deadline_for(plan, operation, 1, 0));
    // The group's first process looks at the clock for all of them.
    goes_on = team.sum(team.leads_group() && result.seconds >= seconds ? 1 : 0) == 0;
    result.wrong = team.sum(count);
    ++result.operations;
    result.bytes += static_cast<double>(operation.bytes());
    if (result.wrong > 0) result.locations = lines_of(team.gather(locations_of(operation, here, team)));
    on_step(result);
  }
  const auto phase = watch.enter("exchange of the groups' results", deadline_for(plan, {}, 1, 0));
  std::string own;
  for (const std::string& location : result.locations) own += location + "\n";
  const std::vector<std::string> of_groups = team.gather_from_all(team.leads_group() ? own : "");
  const auto wrong_groups = static_cast<std::uint64_t>(
      std::count_if(of_groups.begin(), of_groups.end(), [](const std::string& text) { return !text.empty(); }));
  result.locations = lines_of(of_groups);
  // Of the other groups only the first place is known here.
  result.wrong = std::max(result.wrong, wrong_groups);
  on_step(result);
  return result;
}

std::string text_of(const SoakResult& result) {
  std::string text;
  for (const std::string& location : result.locations) text += "# " + location + "\n";
  return text + fmt::format("# Soak: {} operation{} of {:.2f} GB together in {:.0f} s: {}\n", result.operations,
                            result.operations == 1 ? "" : "s", result.bytes / 1e9, result.seconds,
                            result.wrong == 0 ? "OK" : "FAILED");
}

}  // namespace ringrun::worker
