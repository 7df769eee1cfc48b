#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/host_list.hpp"
#include "launcher/hosts/hostfile_lines.hpp"

namespace ringrun {

/// "user@name:2" as a host; names with brackets are several. `where` begins the problem of the UserError.
std::vector<Host> parse_host_word(const std::string& word, const std::string& where);

/// A whole number from `least` upwards behind `name`.
int parse_count(const std::string& name, const std::string& text, int least, const std::string& where);

/// The hosts of one line with what its attributes say of them; none for a line without a host.
std::vector<Host> parse_host_line(const HostfileLine& line, const std::string& where);

/// The names of a line "^host", which leaves hosts of the file out; none for any other line.
std::vector<std::string> parse_exclusion(const HostfileLine& line, const std::string& where);

/// What stands behind "#:".
HostAttributes parse_ringrun_attributes(const std::string& text, const std::string& where);

/// Throws UserError, whose problem begins with `shown`, where a GPU is named twice.
void check_named_once(std::vector<int> gpus, const std::string& shown);

/// Throws UserError where the GPUs are said by gpus= and by CUDA_VISIBLE_DEVICES.
void check_gpus_said_once(const HostAttributes& attributes, const std::string& where);

}  // namespace ringrun
