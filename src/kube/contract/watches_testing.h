#pragma once

#include "kube/contract/world_testing.h"

// The client contract: watches.
namespace coppice::kube::contract {

inline void WatchesChangesInOrder(World& world) {
  COPPICE_CONTRACT_VALUE(const ObjectList start,
                         world.client.List(api::kConfigMaps, {.ns = world.ns}));
  Recorder recorder;
  COPPICE_CONTRACT_VALUE(
      const std::unique_ptr<Watch> watch,
      world.client.StartWatch(api::kConfigMaps,
                              {.ns = world.ns,
                               .field_selector = "metadata.name!=kube-root-ca.crt",
                               .resource_version = start.resource_version},
                              recorder));
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_OK(world.client.Update(api::kConfigMaps, Labelled(made, "x", "1")));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "b")));
  COPPICE_CONTRACT_OK(world.client.Delete(api::kConfigMaps, {world.ns, "a"}));
  ASSERT_TRUE(world.eventually([&] { return recorder.Summary().size() >= 4; }));
  EXPECT_THAT(recorder.Summary(),
              testing::ElementsAre("ADDED a", "MODIFIED a", "ADDED b", "DELETED a"));
  uint64_t last = 0;
  for (const WatchEvent& event : recorder.events()) {
    const uint64_t version = std::stoull(std::string(ResourceVersion(event.object)));
    EXPECT_GT(version, last);
    last = version;
    EXPECT_EQ(event.object["kind"].AsString(), "ConfigMap");
  }
}

inline void ResumesAWatchWithoutGaps(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value first,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "b")));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "c")));
  Recorder recorder;
  COPPICE_CONTRACT_VALUE(
      const std::unique_ptr<Watch> watch,
      world.client.StartWatch(api::kConfigMaps,
                              {.ns = world.ns,
                               .field_selector = "metadata.name!=kube-root-ca.crt",
                               .resource_version = std::string(ResourceVersion(first))},
                              recorder));
  ASSERT_TRUE(world.eventually([&] { return recorder.Summary().size() >= 2; }));
  EXPECT_THAT(recorder.Summary(), testing::ElementsAre("ADDED b", "ADDED c"));
}

inline void WatchesWhatEntersAndLeavesASelection(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  Recorder recorder;
  COPPICE_CONTRACT_VALUE(
      const std::unique_ptr<Watch> watch,
      world.client.StartWatch(api::kConfigMaps,
                              {.ns = world.ns,
                               .label_selector = "on",
                               .resource_version = std::string(ResourceVersion(made))},
                              recorder));
  COPPICE_CONTRACT_VALUE(json::Value on,
                         world.client.Update(api::kConfigMaps, Labelled(made, "on", "1")));
  on.Mutable("metadata").Erase("labels");
  COPPICE_CONTRACT_OK(world.client.Update(api::kConfigMaps, on));
  ASSERT_TRUE(world.eventually([&] { return recorder.Summary().size() >= 2; }));
  EXPECT_THAT(recorder.Summary(), testing::ElementsAre("ADDED a", "DELETED a"));
}

inline bool IsInitialEnd(const WatchEvent& event) {
  return event.type == EventType::kBookmark &&
         Annotation(event.object, "k8s.io/initial-events-end") == "true";
}

inline void StreamsInitialLists(World& world) {
  for (const char* name : {"a", "b"}) {
    COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, name)));
  }
  Recorder recorder;
  COPPICE_CONTRACT_VALUE(
      const std::unique_ptr<Watch> watch,
      world.client.StartWatch(api::kPods, {.ns = world.ns, .send_initial_events = true}, recorder));
  ASSERT_TRUE(world.eventually([&] {
    const auto events = recorder.events();
    return std::any_of(events.begin(), events.end(), IsInitialEnd);
  }));
  const auto events = recorder.events();
  EXPECT_THAT(recorder.Summary(), testing::UnorderedElementsAre("ADDED a", "ADDED b"));
  ASSERT_TRUE(IsInitialEnd(events.back()));
  EXPECT_FALSE(ResourceVersion(events.back().object).empty());
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, "c")));
  ASSERT_TRUE(world.eventually([&] { return recorder.Summary().size() >= 3; }));
  EXPECT_EQ(recorder.Summary().back(), "ADDED c");
}

inline void StopsAWatchForGood(World& world) {
  COPPICE_CONTRACT_VALUE(const ObjectList start,
                         world.client.List(api::kConfigMaps, {.ns = world.ns}));
  Recorder stopped, running;
  const WatchOptions options{.ns = world.ns, .resource_version = start.resource_version};
  COPPICE_CONTRACT_VALUE(std::unique_ptr<Watch> first,
                         world.client.StartWatch(api::kConfigMaps, options, stopped));
  COPPICE_CONTRACT_VALUE(const std::unique_ptr<Watch> second,
                         world.client.StartWatch(api::kConfigMaps, options, running));
  first.reset();
  const size_t seen = stopped.events().size();
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  ASSERT_TRUE(world.eventually([&] {
    const auto summary = running.Summary();
    return std::find(summary.begin(), summary.end(), "ADDED a") != summary.end();
  }));
  EXPECT_EQ(stopped.events().size(), seen);
  EXPECT_FALSE(stopped.end());
}

}  // namespace coppice::kube::contract
