#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/status_testing.h"

// Pod groups: which pods belong to them, when they started, which is served first.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

TEST(UnknownSubGroup, IsReportedAndNeverScheduled) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 4));
  PutGang(engine, "g", {.shape = GpuShape(1)});
  PodSpec stray;
  stray.uid = stray.name = "stray";
  stray.shape = GpuShape(1);
  stray.pod_group = "g";
  stray.sub_group = "nowhere";
  engine.PutPod(stray);
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_EQ(result.binds.size(), 1u);
  EXPECT_EQ(result.binds[0].pod.name, "g-0");
  const GroupStatus& status = StatusOf(result, "g");
  ASSERT_EQ(status.pods.size(), 1u);
  EXPECT_TRUE(status.pods[0].unknown_sub_group);
  EXPECT_EQ(status.pods[0].message,
            "Pod references subgroup \"nowhere\", which does not exist in PodGroup ns/g");
}

TEST(LastStart, IsSetWhenAGangFirstRunsAndNotBefore) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 2));
  PutGang(engine, "g", {.pods = 2, .min = 1, .shape = GpuShape(2)});
  EXPECT_FALSE(engine.LastStart("ns", "g"));
  engine.RunCycle(kNow);
  EXPECT_EQ(engine.LastStart("ns", "g"), kNow);
  engine.PutNode(GpuNode("b", 2));
  EXPECT_EQ(engine.RunCycle(kNow + std::chrono::seconds(5)).binds.size(), 1u);
  EXPECT_EQ(engine.LastStart("ns", "g"), kNow);
}

TEST(LastStart, AGangThatWaitsForAPlaceHasNotStarted) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 1));
  PutLeaving(engine, "leaves", "a");
  PutGang(engine, "next", {.shape = GpuShape(1)});
  EXPECT_EQ(engine.RunCycle(kNow).pipelined.size(), 1u);
  EXPECT_FALSE(engine.LastStart("ns", "next"));
  engine.RemovePod("leaves-0");
  EXPECT_EQ(engine.RunCycle(kNow + std::chrono::seconds(5)).binds.size(), 1u);
  EXPECT_EQ(engine.LastStart("ns", "next"), kNow + std::chrono::seconds(5));
}

// Which of a group's pods gets the only GPU; they are named "0", "1", …, oldest first.
std::string FirstPod(const std::vector<Labels>& labels) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 1));
  PutGang(engine, "g", {.pods = 0, .min = 1, .shape = GpuShape(1)});
  for (size_t i = 0; i < labels.size(); ++i) {
    PodSpec pod;
    pod.uid = pod.name = std::to_string(i);
    pod.pod_group = "g";
    auto shape = GpuShape(1);
    shape->labels = labels[i];
    pod.shape = shape;
    pod.creation = base::Time(std::chrono::seconds(i));
    engine.PutPod(pod);
  }
  return engine.RunCycle(kNow).binds.at(0).pod.name;
}

TEST(TaskOrder, LeadersComeFirst) {
  const char* role = "training.kubeflow.org/job-role";
  EXPECT_EQ(FirstPod({{}, {}}), "0");
  EXPECT_EQ(FirstPod({{}, {{role, "master"}}}), "1");
  EXPECT_EQ(FirstPod({{}, {{role, "launcher"}}}), "1");
  EXPECT_EQ(FirstPod({{}, {{role, "worker"}}}), "0");
  EXPECT_EQ(FirstPod({{}, {{"ray.io/node-type", "head"}}}), "1");
  EXPECT_EQ(FirstPod({{}, {{"ray.io/node-type", "worker"}}}), "0");
}

TEST(TaskOrder, TheLargerTaskPriorityComesFirst) {
  const auto first = [](const char* one, const char* other) {
    std::vector<Labels> labels(2);
    if (*one) labels[0]["kai.scheduler/task-priority"] = one;
    if (*other) labels[1]["kai.scheduler/task-priority"] = other;
    return FirstPod(labels);
  };
  EXPECT_EQ(first("1", "2"), "1");
  EXPECT_EQ(first("10", "9"), "0");
  EXPECT_EQ(first("", "1"), "1");     // Present before absent,
  EXPECT_EQ(first("", "high"), "1");  // whatever the value.
  EXPECT_EQ(first("high", "1"), "1");
  EXPECT_EQ(first("1", "high"), "0");
  EXPECT_EQ(first("high", "low"), "0");  // Neither is a number: the older one.
}

// The one of two waiting jobs that is served first with this order of plugins.
std::string FirstServed(const std::vector<std::string>& job_order) {
  Configuration configuration = Configuration::Defaults();
  std::erase_if(configuration.plugins, [](const auto& plugin) {
    return plugin.name == "priority" || plugin.name == "elastic";
  });
  for (const auto& name : job_order) configuration.plugins.push_back({name, {}});
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 2));
  // At its minimum, with a higher priority, and younger; one more of its pods waits.
  PutGang(engine, "grows",
          {.pods = 1, .min = 1, .shape = GpuShape(1), .priority = 75, .node = "a"});
  PodSpec more;
  more.name = more.uid = "grows-1";
  more.shape = GpuShape(1);
  more.pod_group = "grows";
  engine.PutPod(more);
  PodGroupSpec grows;
  grows.name = "grows";
  grows.namespace_name = "ns";
  grows.queue = "team";
  grows.priority = 75;
  grows.min_members = 1;
  grows.creation = base::Time(std::chrono::hours(2));
  engine.PutPodGroup(grows);
  PutGang(engine, "starts", {.shape = GpuShape(1), .creation = base::Time(std::chrono::hours(1))});
  const CycleResult result = engine.RunCycle(kNow);
  return result.binds.at(0).pod.name;
}

TEST(PluginOrder, TheFirstThatTellsJobsApartDecides) {
  EXPECT_EQ(FirstServed({"priority", "elastic"}), "grows-1");
  EXPECT_EQ(FirstServed({"elastic", "priority"}), "starts-0");
  EXPECT_EQ(FirstServed({}), "starts-0");  // By age.
}

TEST(PluginOrder, WithoutAPluginItsQuestionHasADefaultAnswer) {
  const auto without = [](const std::string& prefix) {
    Configuration configuration = Configuration::Defaults();
    std::erase_if(configuration.plugins,
                  [&](const auto& plugin) { return plugin.name.starts_with(prefix); });
    return configuration;
  };
  // No proportion: there are no limits, and no reclaim.
  Engine unlimited(without("proportion"));
  unlimited.PutQueue(TopQueue("team", 0, 1));
  unlimited.PutQueue(TopQueue("other", 4));
  unlimited.PutNode(GpuNode("a", 4));
  PutGang(unlimited, "large", {.shape = GpuShape(4)});
  EXPECT_EQ(unlimited.RunCycle(kNow).binds.size(), 1u);
  PutGang(unlimited, "mine", {.queue = "other", .shape = GpuShape(4)});
  EXPECT_TRUE(unlimited.RunCycle(kNow).evictions.empty());
  // No scenario generator: a search finds nothing.
  Engine victimless(without("sg-"));
  victimless.PutQueue(TopQueue("team"));
  victimless.PutNode(GpuNode("a", 1));
  PutGang(victimless, "low", {.shape = GpuShape(1), .node = "a"});
  PutGang(victimless, "high", {.shape = GpuShape(1), .priority = 75});
  const CycleResult result = victimless.RunCycle(kNow);
  EXPECT_TRUE(result.evictions.empty());
  EXPECT_EQ(result.actions.at("preempt").search_results.at("no_generator"), 1);
}

}  // namespace
}  // namespace coppice::engine
