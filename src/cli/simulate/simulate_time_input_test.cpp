#include "cli/simulate/simulate_time_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(TimeSimulator, DefaultsAndErrors) {
  const auto empty = ReadTimeSimulation("{}");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->cycles, 100);
  EXPECT_EQ(empty->window_size, 5);
  EXPECT_EQ(empty->half_life_period, 0);
  EXPECT_EQ(empty->k_value, 1.0);
  const auto error = [](const char* yaml) { return ReadTimeSimulation(yaml).error().message(); };
  EXPECT_THAT(error("Cycles: many"), HasSubstr("Cycles"));
  EXPECT_THAT(error("Cycles: -1"), HasSubstr("Cycles"));
  EXPECT_THAT(error("Queues: [{Weight: 1}]"), HasSubstr("Name"));
  EXPECT_THAT(error("- a"), HasSubstr("mapping"));
}

TEST(TimeSimulator, KeysThatNobodyReadsAreNamed) {
  const auto read = ReadTimeSimulation(R"(
Cycels: 7
Nodes: [{GPUs: 8}, {GPUs: 8, Cuont: 2}]
Queues: [{Name: a, Wieght: 3}]
Jobs: {a: {GPUs: 8, Pods: 2}}
)");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_THAT(read->ignored,
              ElementsAre(StartsWith("Cycels: "), StartsWith("Nodes[1].Cuont: "),
                          StartsWith("Queues[0].Wieght: "), StartsWith("Jobs.a.Pods: ")));
  EXPECT_THAT(read->ignored[1], HasSubstr("known are GPUs, Count"));
  EXPECT_EQ(read->cycles, 100);
}

TEST(TimeSimulator, KeysAreKnownInAnyCase) {
  const auto read = ReadTimeSimulation(
      "{cycles: 7, nodes: [{gpus: 8}], queues: [{name: a, deservedGPUs: 2}], jobs: {A: {numjobs: "
      "3}}}");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_THAT(read->ignored, IsEmpty());
  EXPECT_EQ(read->cycles, 7);
  EXPECT_EQ(read->nodes.at(0).gpus, 8);
  EXPECT_EQ(read->queues.at(0).deserved_gpus, 2);
  EXPECT_EQ(read->jobs.at("A").jobs, 3);
}

}  // namespace
}  // namespace coppice::cli
