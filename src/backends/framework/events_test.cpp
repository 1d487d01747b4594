#include "backends/framework/events.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "backends/gangs/cache_view.h"
#include "backends/tests/example_testing.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

Value EventAbout(const Value& object, const std::string& name, const std::string& reason,
                 const std::string& message) {
  return Yaml(fmt::format(
      "{{apiVersion: v1, kind: Event, metadata: {{name: {}, namespace: {}}}, involvedObject: "
      "{{kind: {}, namespace: {}, name: {}, uid: '{}'}}, reason: {}, message: '{}', type: Normal, "
      "lastTimestamp: '2026-01-01T00:00:00Z'}}",
      name, kube::Namespace(object), kube::Kind(object), kube::Namespace(object),
      kube::Name(object), kube::Uid(object), reason, message));
}

class Told {
 public:
  Told(const std::string& scheduler, const std::vector<std::string>& projects)
      : world({.projects = projects,
               .config = "{scheduler: {profiles: [{name: " + scheduler +
                         ", config: {topology: {requiredGang: PodAffinity}}}]}}"}),
        example(world, scheduler) {
    (void)world.backends->SyncTopology(world.Get(api::kClusterTopologyBindings, "", "dc1"));
    world.RunFor(std::chrono::seconds(30));
    example.CreatePods();
  }

  // The gang's Scheduled condition after the event.
  std::string After(const Value& event) {
    EXPECT_TRUE(world.client->Create(api::kEvents, event));
    world.RunFor(std::chrono::seconds(2));
    const Value scheduled = example.Condition("Scheduled");
    return fmt::format("{} {}: {}", scheduled["status"].AsString(), scheduled["reason"].AsString(),
                       scheduled["message"].AsString());
  }

  World world;
  Example example;
};

TEST(EventSignals, WhatAKaiGangWaitsForIsItsMessage) {
  Told told("kai-scheduler", {"grove", "kai"});
  const Value group = told.world.List(api::kPodGroups).at(0);
  EXPECT_EQ(told.After(EventAbout(group, "other", "Evict", "unheard")),
            "False WaitingForScheduler: ");
  EXPECT_EQ(told.After(EventAbout(group, "e", "NotReady", "waiting for 2 pods, 1 exists")),
            "False WaitingForScheduler: waiting for 2 pods, 1 exists");
}

TEST(EventSignals, YuniKornsReservationGivesTheReason) {
  Told told("yunikorn", {"grove"});
  const Value pod = told.world.List(api::kPods).at(0);
  EXPECT_EQ(told.After(EventAbout(pod, "a", "GangScheduling", "placeholders are created")),
            "False GangScheduling: placeholders are created");
  EXPECT_EQ(told.After(EventAbout(pod, "b", "GangSchedulingFailed", "no room")),
            "False GangSchedulingFailed: no room");
}

TEST(NewestEvent, CountsForItsObjectAndReason) {
  const auto event = [](const std::string& uid, const std::string& reason,
                        const std::string& times) {
    return Yaml(
        fmt::format("{{apiVersion: v1, kind: Event, involvedObject: {{uid: {}}}, reason: "
                    "{}, message: '{}', {}}}",
                    uid, reason, times, times));
  };
  GangInput input;
  EXPECT_TRUE(NewestEvent(input, "u", "R").IsNull());
  input.cluster = std::make_shared<FixedView>(std::vector{
      event("u", "R", "lastTimestamp: 2026-01-02T00:00:00Z"),
      event("u", "R", "eventTime: 2026-01-01T00:00:00Z"),
      event("u", "R",
            "series: {lastObservedTime: 2026-01-03T00:00:00Z}, eventTime: 2026-01-01T00:00:00Z"),
      event("u", "S", "lastTimestamp: 2026-01-04T00:00:00Z"),
      event("v", "R", "lastTimestamp: 2026-01-05T00:00:00Z")});
  EXPECT_EQ(NewestEvent(input, "u", "R")["series"]["lastObservedTime"].AsString(),
            "2026-01-03T00:00:00Z");
  EXPECT_TRUE(NewestEvent(input, "w", "R").IsNull());
}

}  // namespace
}  // namespace coppice::backends
