#include "services/scheduler/read/relevance.h"

#include <gtest/gtest.h>

#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

const json::Value kPendingPod = Doc(R"(
metadata: {name: a, uid: u, resourceVersion: "1", labels: {app: x}, annotations: {pod-group-name: g}}
spec: {schedulerName: kai-scheduler}
status: {phase: Pending, conditions: [{type: PodScheduled, status: "False"}]}
)");

bool PodMatters(const char* part, const char* field, const json::Value& value) {
  json::Value changed = kPendingPod;
  changed.Mutable("metadata").Set("resourceVersion", "2");
  changed.Mutable(part).Set(field, value);
  return PodUpdateMatters(kPendingPod, changed);
}

TEST(Relevance, WhatThePodReaderReadsMatters) {
  EXPECT_TRUE(PodMatters("metadata", "labels", Doc("{app: y}")));
  EXPECT_TRUE(PodMatters("metadata", "annotations", Doc("{pod-group-name: h}")));
  EXPECT_TRUE(PodMatters("metadata", "deletionTimestamp", "2026-01-01T00:00:00Z"));
  EXPECT_TRUE(PodMatters("metadata", "uid", "v"));
  EXPECT_TRUE(PodMatters("spec", "nodeName", "n1"));
  EXPECT_TRUE(PodMatters("spec", "schedulingGates", Doc("[{name: g}]")));
  EXPECT_TRUE(PodMatters("status", "phase", "Running"));
  EXPECT_TRUE(PodMatters("status", "nominatedNodeName", "n1"));
  EXPECT_TRUE(PodMatters("status", "resourceClaimStatuses", Doc("[{name: c}]")));
}

TEST(Relevance, ConditionsAndContainerStatesOfPodsDoNot) {
  EXPECT_FALSE(PodMatters("status", "conditions", Doc("[{type: PodBound, status: 'True'}]")));
  EXPECT_FALSE(PodMatters("status", "containerStatuses", Doc("[{name: main, ready: true}]")));
  EXPECT_FALSE(PodMatters("metadata", "managedFields", Doc("[{manager: m}]")));
}

TEST(Relevance, OfAGroupsStatusOnlyTheSchedulersConditions) {
  const json::Value group =
      Doc("{metadata: {name: g}, spec: {queue: q}, status: {phase: Pending}}");
  EXPECT_FALSE(GroupUpdateMatters(group, Doc("{metadata: {name: g, resourceVersion: '2'}, "
                                             "spec: {queue: q}, status: {phase: Running, "
                                             "resourcesStatus: {allocated: {cpu: '1'}}}}")));
  EXPECT_TRUE(GroupUpdateMatters(group, Doc("{metadata: {name: g}, spec: {queue: r}}")));
  EXPECT_TRUE(GroupUpdateMatters(group, Doc("{metadata: {name: g}, spec: {queue: q}, status: "
                                            "{schedulingConditions: [{type: x}]}}")));
}

TEST(Relevance, OfABindRequestsStatusOnlyFailures) {
  const json::Value fresh = Doc("{spec: {podName: a}}");
  const json::Value done = Doc("{spec: {podName: a}, status: {phase: Succeeded}}");
  const json::Value failed =
      Doc("{spec: {podName: a}, status: {phase: Failed, failedAttempts: 1}}");
  const json::Value again = Doc("{spec: {podName: a}, status: {phase: Failed, failedAttempts: 2}}");
  EXPECT_FALSE(BindRequestUpdateMatters(fresh, done));
  EXPECT_TRUE(BindRequestUpdateMatters(fresh, failed));
  EXPECT_TRUE(BindRequestUpdateMatters(failed, again));
  EXPECT_TRUE(BindRequestUpdateMatters(failed, done));
  EXPECT_TRUE(BindRequestUpdateMatters(fresh, Doc("{spec: {podName: b}}")));
}

TEST(Relevance, OfAQueueEverythingButItsStatus) {
  const json::Value queue = Doc("{metadata: {name: q}, spec: {parentQueue: p}}");
  EXPECT_FALSE(QueueUpdateMatters(
      queue,
      Doc("{metadata: {name: q}, spec: {parentQueue: p}, status: {allocated: {cpu: '1'}}}")));
  EXPECT_TRUE(QueueUpdateMatters(queue, Doc("{metadata: {name: q}, spec: {parentQueue: r}}")));
}

}  // namespace
}  // namespace coppice::services::scheduler
