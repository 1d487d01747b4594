#include "services/scheduler/read/cluster.h"

#include <gtest/gtest.h>

#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

constexpr char kPool[] = "kai.scheduler/node-pool";

PriorityClasses Classes() {
  PriorityClasses classes;
  classes.Put(Doc("{metadata: {name: train}, value: 50}"));
  classes.Put(Doc("{metadata: {name: almost}, value: 99}"));
  classes.Put(Doc("{metadata: {name: build}, value: 100}"));
  return classes;
}

TEST(PodGroupPriority, IsThatOfItsClassOrTheGlobalDefaultOrFifty) {
  PriorityClasses classes = Classes();
  EXPECT_EQ(classes.Resolve("build"), 100);
  EXPECT_EQ(classes.Resolve(""), 50);
  EXPECT_EQ(classes.Resolve("unknown"), 50);
  classes.Put(Doc("{metadata: {name: usual}, value: 70, globalDefault: true}"));
  EXPECT_EQ(classes.Resolve(""), 70);
  EXPECT_EQ(classes.Resolve("unknown"), 70);
  EXPECT_EQ(classes.Resolve("train"), 50);
  classes.Remove("usual");
  EXPECT_EQ(classes.Resolve(""), 50);
}

TEST(PodGroupPriority, BelowAHundredIsPreemptibleUnlessItIsSaid) {
  const auto preemptible = [](const char* spec) {
    const json::Value group = Doc(std::string("{metadata: {name: g}, spec: ") + spec + "}");
    return ReadPodGroup(group, Classes(), kPool).preemptible;
  };
  EXPECT_TRUE(preemptible("{priorityClassName: almost}"));
  EXPECT_FALSE(preemptible("{priorityClassName: build}"));
  EXPECT_TRUE(preemptible("{priorityClassName: build, preemptibility: preemptible}"));
  EXPECT_FALSE(preemptible("{priorityClassName: train, preemptibility: non-preemptible}"));
}

TEST(SchedulingBackoff, AGroupThatWasTriedInItsPoolIsLeftOut) {
  const auto backed_off = [](const std::string& backoff, const std::string& pools) {
    return IsBackedOff(Doc("{metadata: {name: g, labels: {kai.scheduler/node-pool: a}}, spec: {" +
                           backoff + "}, status: {schedulingConditions: [" + pools + "]}}"),
                       kPool);
  };
  const std::string in_a = "{nodePool: a, transitionID: '1'}";
  const std::string then_b = in_a + ", {nodePool: b, transitionID: '2'}";
  EXPECT_TRUE(backed_off("schedulingBackoff: 1", in_a));
  EXPECT_FALSE(backed_off("schedulingBackoff: 1", ""));
  EXPECT_FALSE(backed_off("schedulingBackoff: 1", then_b));  // The latest names another pool.
  EXPECT_FALSE(backed_off("schedulingBackoff: -1", in_a));
  EXPECT_FALSE(backed_off("", in_a));
}

}  // namespace
}  // namespace coppice::services::scheduler
