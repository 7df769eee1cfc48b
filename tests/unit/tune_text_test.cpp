#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lib/error.hpp"
#include "worker/cli/options.hpp"
#include "worker/tune/size_class.hpp"
#include "worker/tune/tune_job.hpp"
#include "worker/tune/tune_report.hpp"

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Four rounds of a setting that is twice as fast at large sizes, and of one that has failed.
TuneFindings findings() {
  TuneFindings found;
  found.hosts = {{"a", {}, {}, {}}, {"b", {}, {}, {}}};
  found.ways = "NET/Socket";
  found.tuned.sizes = {8, 8 << 20};
  found.tuned.settings = {{{{"NCCL_SOCKET_NTHREADS", {"2"}}}}, {{{"NCCL_SOCKET_IFNAME", {"=eth0", "=eth1"}}}}};
  found.tuned.failures = {"", "process 1 on b: did not end in time"};
  for (int r = 0; r < 4; ++r) {
    const double noise = 1 + 0.001 * r;
    found.tuned.rounds.push_back({{30e-6, 3e-3 * noise}, {30e-6 * noise, 3e-3}, {{30e-6, 1.5e-3 * noise}, {}}});
  }
  found.verdicts = verdicts_of(found.tuned, noise_factor(found.tuned.rounds.size(), 2, 2));
  found.elapsed = 33;
  return found;
}

TEST(TuneText, SaysWhatWinsForEachClassAndTheLinesForIt) {
  const std::string text = text_of(findings());
  EXPECT_THAT(text, HasSubstr("# FAILED with NCCL_SOCKET_IFNAME==eth0 on a, =eth1 on b: process 1 on b: did not end"));
  EXPECT_THAT(text, HasSubstr("# small (up to 4K): keep what is set; nothing is faster beyond noise"));
  EXPECT_THAT(text, HasSubstr("within noise: NCCL_SOCKET_NTHREADS=2\n"));
  EXPECT_THAT(text, HasSubstr("# large (4M and more): NCCL_SOCKET_NTHREADS=2\n    2.00 times as fast as it is"));
  EXPECT_THAT(text, testing::ContainsRegex("hostfile, a line of its own: +#: env.NCCL_SOCKET_NTHREADS=2\n"));
  EXPECT_THAT(text, testing::ContainsRegex("plain mpirun: +-x NCCL_SOCKET_NTHREADS=2\n"));
  EXPECT_THAT(text, HasSubstr("4 rounds in 33 s"));
}

TEST(TuneText, SaysThatTooFewRoundsTellNothing) {
  TuneFindings found = findings();
  found.tuned.rounds.resize(2);
  found.verdicts = verdicts_of(found.tuned, noise_factor(found.tuned.rounds.size(), 2, 2));
  found.partial = "ended by SIGINT after 2 rounds";
  const std::string text = text_of(found);
  EXPECT_THAT(text, HasSubstr("# PARTIAL: ended by SIGINT after 2 rounds\n"));
  EXPECT_THAT(text, HasSubstr("# 2 rounds in 33 s: too few to tell a gain from noise, 3 are needed"));
  EXPECT_THAT(text, Not(HasSubstr("hostfile")));
}

TEST(TuneText, IsJsonForPrograms) {
  TableHead head;
  head.plan.types = {DataType::kFloat};
  head.plan.ops = {ReduceOp::kSum};
  const auto json = nlohmann::json::parse(json_of(findings(), head));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["classes"][1]["class"], "large");
  EXPECT_EQ(json["classes"][1]["recommended"], 0);
  EXPECT_TRUE(json["classes"][0]["recommended"].is_null());
  EXPECT_EQ(json["settings"][0]["variables"]["NCCL_SOCKET_NTHREADS"], "2");
  EXPECT_EQ(json["settings"][0]["hostfile"][0]["line"], "#: env.NCCL_SOCKET_NTHREADS=2");
  EXPECT_EQ(json["settings"][1]["variables"]["NCCL_SOCKET_IFNAME"]["b"], "=eth1");
  EXPECT_EQ(json["settings"][1]["failure"], "process 1 on b: did not end in time");
  EXPECT_NEAR(json["as_it_is_us"][0][0], 30.0, 1e-6);
}

TEST(TuneSizes, AreFewOfEachClassUnlessTheyAreSaid) {
  EXPECT_EQ(size_class_of(4096), SizeClass::kSmall);
  EXPECT_EQ(size_class_of(4097), SizeClass::kMiddle);
  EXPECT_EQ(size_class_of(4 << 20), SizeClass::kLarge);
  EXPECT_EQ(classes_of(default_tuned_sizes()).size(), 3u);
  EXPECT_EQ(parse_options({"--tune"}).plan.sizes, default_tuned_sizes());
  EXPECT_THAT(parse_options({"--tune", "-e", "64"}).plan.sizes, ElementsAre(8, 32));
  const auto many = parse_options({"--tune", "-b", "8", "-e", "128M", "-f", "2"});
  EXPECT_EQ(many.plan.sizes.size(), 12u);
  EXPECT_EQ(many.plan.sizes.front(), 8);
  EXPECT_EQ(many.largest, 128 << 20);
}

TEST(TuneOptions, TakeATimeAndRefuseWhatATuningDoesNotMeasure) {
  EXPECT_EQ(parse_options({}).tune_seconds, 0);
  EXPECT_EQ(parse_options({"--tune"}).tune_seconds, 60);
  EXPECT_EQ(parse_options({"--tune=5m"}).tune_seconds, 300);
  EXPECT_THROW(parse_options({"--tune=0"}), UserError);
  EXPECT_THROW(parse_options({"--tune=soon"}), UserError);
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"--soak", "1m"}, {"--stats"}, {"-G", "1"}, {"-d", "all"}, {"--csv", "x"}}) {
    std::vector<std::string> arguments = other;
    arguments.insert(arguments.begin(), "--tune");
    EXPECT_THROW(parse_options(arguments), UserError) << other.front();
  }
}

TEST(TuneOptions, AreRefusedWhereNothingCouldBeTried) {
  const Options options = parse_options({"--tune"});
  BackendDecision decision;
  EXPECT_THAT(refusal_to_tune(options, decision, 2, 1)->what(), HasSubstr("MPI on host memory"));
  decision.nccl = true;
  EXPECT_THAT(refusal_to_tune(options, decision, 1, 1)->what(), HasSubstr("one rank sends nothing"));
  EXPECT_THAT(refusal_to_tune(options, decision, 4, 2)->what(), HasSubstr("groups"));
  EXPECT_FALSE(refusal_to_tune(options, decision, 2, 1));
}

}  // namespace
}  // namespace ringrun::worker
