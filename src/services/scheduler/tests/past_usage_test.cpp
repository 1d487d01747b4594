#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "services/scheduler/tests/fixture_testing.h"

// What queues have used so far decides what they get next.

namespace coppice::services::scheduler {
namespace {

using ::testing::HasSubstr;

// A scheduler that remembers the usage of this long.
Options Remembering(std::string_view window, const std::string& k_value) {
  Options options;
  options.usage_db =
      Doc(fmt::format("{{clientType: embedded, usageParams: {{windowSize: {}, fetchInterval: 10s,"
                      " extraParams: {{queryResolution: 10s}}}}}}",
                      window));
  for (engine::PluginConfig& plugin : options.configuration.plugins) {
    if (plugin.name == "proportion") plugin.arguments["kValue"] = k_value;
  }
  return options;
}

class PastUsageTest : public SchedulerFixture {
 protected:
  int Bound(std::string_view prefix) {
    int count = 0;
    for (const json::Value& pod : cluster.List(api::kPods, "default")) {
      count += kube::Name(pod).starts_with(prefix) && !kube::IsDeleting(pod) &&
               !pod["spec"]["nodeName"].AsString().empty();
    }
    return count;
  }
};

TEST_F(PastUsageTest, ShiftsTheFairShare) {
  cluster.AddNode("n1", 4);
  cluster.AddQueue("root", "", -1);
  cluster.AddQueue("greedy", "root", 0);
  cluster.AddQueue("modest", "root", 0);
  AddScheduler(Remembering("1h", "1"));
  cluster.Start();
  for (int i = 0; i < 4; ++i) cluster.AddPod(fmt::format("greedy-{}", i), "greedy", 1);
  cluster.Settle(std::chrono::minutes(2));
  cluster.RunBoundPods();
  ASSERT_EQ(Bound("greedy"), 4);
  cluster.Settle(std::chrono::minutes(30));
  // All of it was used by one queue for half an hour: now the other's share is larger than half.
  for (int i = 0; i < 4; ++i) cluster.AddPod(fmt::format("modest-{}", i), "modest", 1);
  for (int i = 0; i < 10; ++i) {
    cluster.Settle(std::chrono::seconds(30));
    for (const json::Value& pod : cluster.List(api::kPods, "default")) {
      if (kube::IsDeleting(pod)) {
        (void)cluster.client().Delete(api::kPods, kube::KeyOf(pod), {.grace_period_seconds = 0});
      }
    }
    cluster.RunBoundPods();
  }
  EXPECT_GE(Bound("modest"), 3);
  EXPECT_LE(Bound("greedy"), 1);
}

TEST_F(PastUsageTest, AConfigurationThatCannotBeUsedIsAnError) {
  Options options;
  options.usage_db = Doc("{clientType: influx}");
  const auto added = AddToManager(*cluster.manager, std::move(options));
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message(), HasSubstr("clientType"));
}

// Jobs that need the whole cluster, one waiting in every queue all the time: who gets it how often.
class TurnsTest : public SchedulerFixture {
 protected:
  void Start(const std::map<std::string, int>& weights, const std::string& k_value = "1") {
    cluster.AddNode("n1", 4);
    cluster.AddQueue("root", "", -1);
    for (const auto& [name, weight] : weights) {
      cluster.AddQueue(name, "root", 0);
      ASSERT_TRUE(cluster.client().Patch(
          api::kQueues, {"", name}, kube::PatchType::kMerge,
          Doc(fmt::format("spec: {{resources: {{gpu: {{overQuotaWeight: {}}}}}}}", weight))));
    }
    AddScheduler(Remembering("4h", k_value));
    cluster.Start();
  }
  std::map<std::string, int> Play(const std::map<std::string, int>& weights, int rounds) {
    std::map<std::string, int> turns;
    for (int round = 0; round < rounds; ++round) {
      for (const auto& [queue, weight] : weights) {
        if (!cluster.Exists(api::kPods, queue)) cluster.AddPod(queue, queue, 4);
      }
      cluster.Settle(std::chrono::seconds(15));
      cluster.RunBoundPods();
      cluster.Settle(std::chrono::minutes(5));
      for (const auto& [queue, weight] : weights) {
        if (NodeOf(queue).empty()) continue;
        ++turns[queue];
        EXPECT_TRUE(
            cluster.client().Delete(api::kPods, {"default", queue}, {.grace_period_seconds = 0}));
      }
    }
    return turns;
  }
};

TEST_F(TurnsTest, ThreeQueuesTakeTurns) {
  const std::map<std::string, int> weights = {{"a", 1}, {"b", 1}, {"c", 1}};
  Start(weights);
  // The last of them gets less than a third here, as with KAI: when a job ends, its own queue has
  // nothing that waits yet, and whole GPUs are divided between the two others. The unit left over
  // goes to the larger fraction, which is often that of the queue that used more; on a tie the name
  // decides. It takes a while until the third queue's share is the largest outright.
  const auto turns = Play(weights, 60);
  for (const auto& [queue, weight] : weights) {
    EXPECT_GE(turns.contains(queue) ? turns.at(queue) : 0, 10) << queue;
  }
}

// By the formula the whole share is the light queue's once the heavy one has used nine tenths, and
// the heavy one's again once the light one has used three: w + k(w - u) is nothing then. Evicted
// pods take longer to end here than a pod may take.
TEST_F(TurnsTest, AHeavyQueueLeavesTheClusterToALightOneAtTimes) {
  const std::map<std::string, int> weights = {{"light", 1}, {"heavy", 3}};
  Start(weights, "5");
  const auto turns = Play(weights, 24);
  ASSERT_TRUE(turns.contains("light"));
  ASSERT_TRUE(turns.contains("heavy"));
  EXPECT_GE(turns.at("light"), 4);
  EXPECT_GT(turns.at("heavy"), turns.at("light"));
}

TEST_F(TurnsTest, WeightsDecideInTheLongRun) {
  const std::map<std::string, int> weights = {{"light", 1}, {"heavy", 3}};
  Start(weights);
  // Jobs that leave room for each other: who gets how much of the cluster.
  std::map<std::string, int> turns;
  for (int round = 0; round < 6; ++round) {
    std::map<std::string, std::string> queue_of;
    for (const auto& [queue, weight] : weights) {
      for (int i = 0; i < 4; ++i) queue_of[fmt::format("{}-{}-{}", queue, round, i)] = queue;
    }
    for (const auto& [pod, queue] : queue_of) cluster.AddPod(pod, queue, 1);
    cluster.Settle(std::chrono::minutes(5));
    cluster.RunBoundPods();
    for (const auto& [pod, queue] : queue_of) {
      turns[queue] += cluster.Exists(api::kPods, pod) && !NodeOf(pod).empty() ? 1 : 0;
      (void)cluster.client().Delete(api::kPods, {"default", pod}, {.grace_period_seconds = 0});
    }
  }
  EXPECT_GT(turns.at("heavy"), turns.at("light"));
  EXPECT_GE(turns.at("light"), 2);
}

}  // namespace
}  // namespace coppice::services::scheduler
