#pragma once

#include <cstddef>
#include <vector>

#include "worker/backend/backend_choice.hpp"
#include "worker/ceiling/survey.hpp"

namespace ringrun::worker {

/// The question of `process`; asks the driver how its GPUs are joined.
SurveyQuestion survey_question(const Options& options, const std::vector<ProcessFacts>& facts,
                               const BackendDecision& decision, std::size_t process);

}  // namespace ringrun::worker
