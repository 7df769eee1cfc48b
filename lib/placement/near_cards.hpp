#pragma once

#include <string>
#include <vector>

#include "lib/topology/machine.hpp"

namespace ringrun {

/// The cards of one kind that are nearest to a GPU, by name; of equally near ones those whose link is not down, and of
/// these the fastest. One on USB is taken where there is no other. `gpu` is nullptr where its place is not known: all
/// are equally near. `names` are the cards to choose among; empty: all that the machine has. One that is no card of the
/// machine (a bond, a bridge) counts as somewhere on it.
std::vector<std::string> nearest_cards(const Machine& machine, const CardPlace* gpu, bool hca,
                                       const std::vector<std::string>& names);

}  // namespace ringrun
