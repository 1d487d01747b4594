#include "services/common/shard.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/scheduler/options/config_file.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::platform {
namespace {

using ::testing::HasSubstr;

base::Result<Shard> Read(std::string_view spec) {
  return ReadShard(Doc(fmt::format("{{metadata: {{name: default}}, spec: {{{}}}}}", spec)));
}

std::vector<std::string> Plugins(std::string_view spec) { return ByPriority(Read(spec)->plugins); }

TEST(ShardTest, DefaultsAreTheOperators) {
  const auto shard = Read("");
  ASSERT_TRUE(shard) << shard.error().message();
  const std::vector<std::string> plugins = ByPriority(shard->plugins);
  EXPECT_EQ(plugins.front(), "predicates");
  EXPECT_EQ(plugins.back(), "gpusharingorder");
  EXPECT_EQ(plugins.size(), 21);
  EXPECT_EQ(ByPriority(shard->actions),
            (std::vector<std::string>{"allocate", "consolidation", "reclaim", "preempt",
                                      "stalegangeviction"}));
  EXPECT_TRUE(scheduler::ReadConfigFile(SchedulerConfiguration(*shard)).ok());
}

TEST(ShardTest, SpreadingTurnsPackingOff) {
  EXPECT_THAT(Plugins("placementStrategy: {gpu: spread}"), ::testing::Contains("gpuspread"));
  EXPECT_THAT(Plugins("placementStrategy: {gpu: spread}"),
              ::testing::Not(::testing::Contains("gpusharingorder")));
  for (const char* spread : {"gpu: spread", "cpu: spread"}) {
    const auto shard = Read(fmt::format("placementStrategy: {{{}}}", spread));
    EXPECT_THAT(ByPriority(shard->actions), ::testing::Not(::testing::Contains("consolidation")));
  }
}

TEST(ShardTest, OverridesMerge) {
  const auto shard = Read(
      "kValue: 0.5, minRuntime: {preemptMinRuntime: 5m},"
      "plugins: {numa: {}, elastic: {enabled: false}, ray: {priority: 5000}}");
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->plugins.at("proportion").arguments.at("kValue"), "0.5");
  EXPECT_EQ(shard->plugins.at("minruntime").arguments.at("defaultPreemptMinRuntime"), "5m");
  const std::vector<std::string> plugins = ByPriority(shard->plugins);
  EXPECT_EQ(plugins.front(), "ray");
  EXPECT_EQ(plugins.back(), "numa");
  EXPECT_THAT(plugins, ::testing::Not(::testing::Contains("elastic")));
}

TEST(ShardTest, LeastFragmentationPacksAndConsolidates) {
  const auto shard = Read("placementStrategy: {gpu: leastfragmentation}");
  ASSERT_TRUE(shard) << shard.error().message();
  EXPECT_EQ(shard->plugins.at("nodeplacement").arguments.at("gpu"), "leastfragmentation");
  EXPECT_THAT(ByPriority(shard->plugins), ::testing::Contains("gpupack"));
  EXPECT_TRUE(shard->actions.at("consolidation").enabled);
}

TEST(ShardTest, ErrorsNameTheField) {
  const auto error = [](std::string_view spec) { return Read(spec).error().message(); };
  EXPECT_THAT(error("placementStrategy: {gpu: pile}"), HasSubstr("placementStrategy.gpu"));
  EXPECT_THAT(error("placementStrategy: {gpu: pile}"),
              HasSubstr("binpack, spread or leastfragmentation"));
  EXPECT_THAT(error("placementStrategy: {cpu: leastfragmentation}"),
              HasSubstr("binpack or spread"));
  EXPECT_THAT(error("plugins: {nodeplacement: {arguments: {gpu: pile}}}"),
              HasSubstr("argument gpu of plugin nodeplacement is \"pile\""));
  EXPECT_THAT(error("goMemLimitRatio: 2"), HasSubstr("goMemLimitRatio"));
  EXPECT_THAT(error("goMemLimit: none"), HasSubstr("goMemLimit"));
  EXPECT_THAT(error("queueDepthPerAction: {bind: 1}"), HasSubstr("queueDepthPerAction.bind"));
  EXPECT_THAT(error("scenarioSearchBudgets: {minJobSearchDuration: 5m}"),
              HasSubstr("minJobSearchDuration"));
}

}  // namespace
}  // namespace coppice::services::platform
