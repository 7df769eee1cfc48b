#include "lib/net/probe_wire.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace ringrun {
namespace {

constexpr std::string_view kGreetingWord = "ringrun-probe";
constexpr std::string_view kEchoWord = "ringrun-reply";
static_assert(kGreetingWord.size() == kEchoWord.size());
constexpr std::string_view kAnswerWord = "ringrun-here";

std::vector<std::string_view> words_of(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t end = line.find(' ');
    words.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end + 1);
  }
}

std::optional<int> number_in(std::string_view word) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::string to_line(const Greeting& greeting) {
  return std::string(kGreetingWord) + " " + greeting.nonce + " " + std::to_string(greeting.from) + " " +
         std::to_string(greeting.expected) + (greeting.bulk > 0 ? " " + std::to_string(greeting.bulk) : "") + "\n";
}

std::string to_line(const Answer& answer) {
  return std::string(kAnswerWord) + " " + std::to_string(answer.host) + " " + answer.seen_as + "\n";
}

std::optional<Greeting> read_greeting(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() < 4 || words.size() > 5 || words[0] != kGreetingWord) return std::nullopt;
  const auto from = number_in(words[2]);
  const auto expected = number_in(words[3]);
  const auto bulk = words.size() == 5 ? number_in(words[4]) : std::optional(0);
  if (!from || !expected || !bulk || static_cast<std::size_t>(*bulk) > kMostBulk) return std::nullopt;
  return Greeting{std::string(words[1]), *from, *expected, static_cast<std::size_t>(*bulk)};
}

std::optional<Answer> read_answer_line(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() != 3 || words[0] != kAnswerWord) return std::nullopt;
  const auto host = number_in(words[1]);
  if (!host) return std::nullopt;
  return Answer{*host, std::string(words[2])};
}

std::string to_packet(const Greeting& greeting, std::size_t size) {
  std::string packet = to_line(greeting);
  packet.resize(std::max(size, packet.size()), '\0');
  return packet;
}

std::optional<Greeting> read_packet(std::string_view packet) {
  const std::size_t end = packet.substr(0, kLongestProbeLine).find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  return read_greeting(packet.substr(0, end));
}

std::string to_echo(std::string packet) {
  if (packet.size() >= kEchoWord.size()) packet.replace(0, kEchoWord.size(), kEchoWord);
  return packet;
}

bool same_nonce(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) difference |= static_cast<unsigned char>(one[i] ^ other[i]);
  return difference == 0;
}

}  // namespace ringrun
