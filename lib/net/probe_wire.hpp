#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ringrun {

using ProbeClock = std::chrono::steady_clock;

/// No line of the probes' protocol is longer, its end included: whoever sends more is not one of us.
inline constexpr std::size_t kLongestProbeLine = 256;

/// What a visitor says first, over TCP as a line, over UDP as the beginning of a packet.
struct Greeting {
  std::string nonce;
  int from = 0;
  /// The host that the visitor believes to reach.
  int expected = 0;
  /// So many bytes follow over TCP, and the answer comes behind them; 0 for none.
  std::size_t bulk = 0;
};

/// No visitor may send more behind its greeting.
inline constexpr std::size_t kMostBulk = 4 << 20;

/// What a listener answers to the right nonce.
struct Answer {
  int host = 0;
  /// The address from which the greeting came.
  std::string seen_as;
};

/// Lines with their end.
std::string to_line(const Greeting& greeting);
std::string to_line(const Answer& answer);

/// Unset where the line, with or without its end, is something else.
std::optional<Greeting> read_greeting(std::string_view line);
std::optional<Answer> read_answer_line(std::string_view line);

/// A packet of `size` bytes (at least the greeting's line) that begins with the greeting.
std::string to_packet(const Greeting& greeting, std::size_t size);

/// Unset where the packet does not begin with a greeting.
std::optional<Greeting> read_packet(std::string_view packet);

/// The echo of a packet: as long as it, and never taken for a greeting, so that no two listeners echo one another.
std::string to_echo(std::string packet);

/// Compares in a time that does not tell how much of it was right.
bool same_nonce(std::string_view one, std::string_view other);

}  // namespace ringrun
