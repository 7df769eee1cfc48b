#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringrun {

/// Bytes of "128M", "8", "1.5G", "8 K", "1e3", "0x10": K, M, G, T are powers of 1024, in either case, an optional B may
/// follow ("8MB"). What is no whole number of bytes is rounded down ("1.3K"), as nccl-tests does.
/// Throws UserError that quotes the text where it is not a size or is more than 2^63 - 1.
std::int64_t parse_byte_size(std::string_view text);

/// The shortest exact form: "128M", "1000", "8".
std::string format_byte_size(std::int64_t bytes);

}  // namespace ringrun
