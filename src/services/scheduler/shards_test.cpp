#include "services/scheduler/shards.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "services/binder/controller.h"
#include "services/grouper/controller.h"
#include "services/scheduler/tests/fixture_testing.h"

namespace coppice::services::scheduler {
namespace {

// Two shards on disjoint node pools.
class ShardsTest : public SchedulerFixture {
 protected:
  static constexpr const char* kPool = "kai.scheduler/node-pool";

  ShardsTest() {
    cluster.AddPriorityClasses();
    cluster.AddNode("a1", 4, "kai.scheduler/node-pool: a");
    cluster.AddNode("d1", 4);
    AddQueueIn("root-a", "", "a");
    AddQueueIn("team-a", "root-a", "a");
    AddQueueIn("root", "", "");
    AddQueueIn("team", "root", "");
    for (const auto& [name, value] : {std::pair{"default", ""}, {"pool-a", "a"}}) {
      cluster.Create(api::kSchedulingShards,
                     fmt::format("{{apiVersion: kai.scheduler/v1, kind: SchedulingShard, metadata: "
                                 "{{name: {}}}, spec: {{partitionLabelValue: '{}'}}}}",
                                 name, value));
    }
    grouper::AddToManager(*cluster.manager, {});
    EXPECT_TRUE(binder::AddToManager(*cluster.manager, {}));
    const auto shards = ReadShards(cluster.client(), {});
    EXPECT_EQ(shards->schedulers.size(), 2);
    for (const Options& shard : shards->schedulers) {
      EXPECT_TRUE(AddWithPluginServer(*cluster.manager, shard));
    }
    cluster.Start();
  }

  void AddQueueIn(std::string_view name, std::string_view parent, std::string_view pool) {
    cluster.AddQueue(name, parent, -1);
    if (pool.empty()) return;
    ASSERT_TRUE(
        cluster.client().Patch(api::kQueues, {"", std::string(name)}, kube::PatchType::kMerge,
                               Doc(fmt::format("metadata: {{labels: {{{}: {}}}}}", kPool, pool))));
  }
};

TEST_F(ShardsTest, AShardThatIsWrongKeepsNobodyElseFromWorking) {
  cluster.Create(api::kSchedulingShards,
                 "{apiVersion: kai.scheduler/v1, kind: SchedulingShard, metadata: {name: odd}, "
                 "spec: {partitionLabelValue: b, queueDepthPerAction: {nothing: 3}}}");
  const auto shards = ReadShards(cluster.client(), {});
  ASSERT_TRUE(shards);
  EXPECT_EQ(shards->schedulers.size(), 2);
  ASSERT_EQ(shards->refused.size(), 1);
  EXPECT_EQ(kube::Name(shards->refused[0].shard), "odd");
}

TEST_F(ShardsTest, ChangesAreNoticed) {
  auto manager = kube::Manager::Make(cluster.client(), cluster.stepper);
  auto shards = ReadShards(cluster.client(), {});
  int changes = 0;
  ASSERT_TRUE(WatchShards(*manager, *shards, [&] { ++changes; }));
  manager->Start();
  cluster.Settle();
  EXPECT_EQ(changes, 0);
  const auto patch = [&](std::string_view text) {
    EXPECT_TRUE(cluster.client().Patch(api::kSchedulingShards, {"", "pool-a"},
                                       kube::PatchType::kMerge, Doc(text)));
    cluster.Settle();
  };
  patch("metadata: {labels: {a: b}}");
  EXPECT_EQ(changes, 0);
  patch("spec: {kValue: 0.5}");
  EXPECT_EQ(changes, 1);
  EXPECT_TRUE(cluster.client().Delete(api::kSchedulingShards, {"", "default"}));
  cluster.Settle();
  EXPECT_EQ(changes, 2);
  manager->Stop();
}

TEST_F(ShardsTest, EachTakesItsOwnNodesQueuesAndGroups) {
  cluster.AddPod("in-a", "team-a", 1, "labels: {kai.scheduler/node-pool: a}");
  cluster.AddPod("in-default", "team", 1);
  cluster.Settle();
  EXPECT_EQ(NodeOf("in-a"), "a1");
  EXPECT_EQ(NodeOf("in-default"), "d1");
  EXPECT_EQ(kube::Label(cluster.Get(api::kBindRequests, "in-a"), kPool), "a");
  EXPECT_EQ(kube::Label(cluster.Get(api::kBindRequests, "in-default"), kPool), "");
}

TEST_F(ShardsTest, NeitherTouchesTheOthersRoom) {
  cluster.AddPod("big-a", "team-a", 4, "labels: {kai.scheduler/node-pool: a}");
  cluster.AddPod("more-a", "team-a", 4, "labels: {kai.scheduler/node-pool: a}");
  cluster.Settle(std::chrono::seconds(30));
  EXPECT_EQ((NodeOf("big-a") == "a1") + (NodeOf("more-a") == "a1"), 1);
  EXPECT_EQ((NodeOf("big-a") == "d1") + (NodeOf("more-a") == "d1"), 0);
  cluster.AddPod("foreign-queue", "team-a", 1);  // Its group is the default shard's.
  cluster.Settle(std::chrono::seconds(30));
  EXPECT_EQ(NodeOf("foreign-queue"), "");
}

}  // namespace
}  // namespace coppice::services::scheduler
