#pragma once

#include "launcher/cli/option_row.hpp"

namespace ringrun {

/// The rows of the option table by what they are about.
OptionRows rank_options();
OptionRows mapping_options();
OptionRows environment_options();
OptionRows output_options();
OptionRows preload_options();
OptionRows running_options();
OptionRows ringrun_options();
OptionRows engine_options();

}  // namespace ringrun
