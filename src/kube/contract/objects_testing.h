#pragma once

#include "kube/contract/world_testing.h"

// The client contract: objects are made, read, replaced and listed.
namespace coppice::kube::contract {

inline void CreatesReadsAndDeletes(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  EXPECT_FALSE(Uid(made).empty());
  EXPECT_FALSE(ResourceVersion(made).empty());
  EXPECT_FALSE(made["metadata"]["creationTimestamp"].AsString().empty());
  EXPECT_EQ(made["kind"].AsString(), "ConfigMap");
  EXPECT_EQ(made["apiVersion"].AsString(), "v1");
  COPPICE_CONTRACT_VALUE(const json::Value read,
                         world.client.Get(api::kConfigMaps, {world.ns, "a"}));
  EXPECT_EQ(read, made);
  COPPICE_CONTRACT_OK(world.client.Delete(api::kConfigMaps, {world.ns, "a"}));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Get(api::kConfigMaps, {world.ns, "a"}));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Delete(api::kConfigMaps, {world.ns, "a"}));
}

inline void RefusesToCreateTwice(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_FAILS(kAlreadyExists,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
}

inline void GeneratesNames(World& world) {
  json::Value map = ConfigMap(world, "");
  map.Mutable("metadata").Erase("name");
  map.Mutable("metadata").Set("generateName", "some-");
  COPPICE_CONTRACT_VALUE(const json::Value first, world.client.Create(api::kConfigMaps, map));
  COPPICE_CONTRACT_VALUE(const json::Value second, world.client.Create(api::kConfigMaps, map));
  EXPECT_THAT(std::string(Name(first)), testing::StartsWith("some-"));
  EXPECT_EQ(Name(first).size(), 10u);
  EXPECT_NE(Name(first), Name(second));
}

inline void NamesTheFieldThatIsWrong(World& world) {
  const auto made = world.client.Create(api::kConfigMaps, ConfigMap(world, "Not_A_Name"));
  ASSERT_TRUE(made.Is(base::ErrorCode::kInvalid));
  ASSERT_FALSE(made.error().causes().empty());
  EXPECT_EQ(made.error().causes()[0].field, "metadata.name");
  EXPECT_EQ(made.error().causes()[0].reason, "FieldValueInvalid");
}

inline void RefusesUnknownNamespaces(World& world) {
  json::Value map = ConfigMap(world, "a");
  map.Mutable("metadata").Set("namespace", world.ns + "-other");
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Create(api::kConfigMaps, map));
}

inline void RefusesWrongTypes(World& world) {
  json::Value map = ConfigMap(world, "a");
  map.Set("data", "text");
  COPPICE_CONTRACT_FAILS(kInvalidArgument, world.client.Create(api::kConfigMaps, map));
}

inline void GuardsUpdatesByVersion(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  json::Value changed = made;
  changed.Mutable("data").Set("key", "2");
  COPPICE_CONTRACT_VALUE(const json::Value updated, world.client.Update(api::kConfigMaps, changed));
  EXPECT_NE(ResourceVersion(updated), ResourceVersion(made));
  EXPECT_EQ(Uid(updated), Uid(made));
  COPPICE_CONTRACT_FAILS(kConflict, world.client.Update(api::kConfigMaps, changed));
  changed.Mutable("metadata").Erase("resourceVersion");
  changed.Mutable("data").Set("key", "3");
  COPPICE_CONTRACT_VALUE(const json::Value forced, world.client.Update(api::kConfigMaps, changed));
  EXPECT_EQ(forced["data"]["key"].AsString(), "3");
}

inline void KeepsTheVersionWhenNothingChanges(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_VALUE(const json::Value same, world.client.Update(api::kConfigMaps, made));
  EXPECT_EQ(ResourceVersion(same), ResourceVersion(made));
}

inline void RefusesToUpdateWhatIsMissing(World& world) {
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Update(api::kConfigMaps, ConfigMap(world, "a")));
}

inline void ListsInPages(World& world) {
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, name)));
  }
  const std::string only_ours = "metadata.name!=kube-root-ca.crt";
  ListOptions options{.ns = world.ns, .field_selector = only_ours, .limit = 3};
  std::vector<std::string> names;
  std::string version;
  int pages = 0;
  do {
    COPPICE_CONTRACT_VALUE(const ObjectList page, world.client.List(api::kConfigMaps, options));
    EXPECT_FALSE(page.resource_version.empty());
    if (pages > 0) {
      EXPECT_EQ(page.resource_version, version);
    }
    version = page.resource_version;
    for (const std::string& name : Names(page)) names.push_back(name);
    options.continue_token = page.continue_token;
    // The following pages show the state of the first one.
    if (pages++ == 0) {
      COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "zz")));
    }
  } while (!options.continue_token.empty() && pages < 10);
  EXPECT_GE(pages, 3);
  EXPECT_THAT(names, testing::ElementsAre("a", "b", "c", "d", "e", "f", "g"));
}

inline void ListsThePast(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "b")));
  COPPICE_CONTRACT_OK(world.client.Delete(api::kConfigMaps, {world.ns, "a"}));
  COPPICE_CONTRACT_VALUE(
      const ObjectList past,
      world.client.List(api::kConfigMaps, {.ns = world.ns,
                                           .field_selector = "metadata.name!=kube-root-ca.crt",
                                           .resource_version = std::string(ResourceVersion(made)),
                                           .resource_version_match = "Exact"}));
  EXPECT_THAT(Names(past), testing::ElementsAre("a"));
  EXPECT_EQ(past.resource_version, ResourceVersion(made));
}

inline void RefusesVersionsOfTheFuture(World& world) {
  COPPICE_CONTRACT_FAILS(
      kTimeout, world.client.List(api::kConfigMaps, {.ns = world.ns,
                                                     .resource_version = "99999999999",
                                                     .resource_version_match = "NotOlderThan"}));
}

inline void RefusesVersionsThatAreNone(World& world) {
  COPPICE_CONTRACT_FAILS(
      kInvalidArgument,
      world.client.List(api::kConfigMaps, {.ns = world.ns, .resource_version = "new"}));
  COPPICE_CONTRACT_FAILS(
      kInvalid,
      world.client.List(api::kConfigMaps, {.ns = world.ns, .resource_version_match = "Exact"}));
}

inline void ListsObjectsWithTheirTypes(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kDeployments, Deployment(world, "a")));
  COPPICE_CONTRACT_VALUE(const ObjectList list,
                         world.client.List(api::kDeployments, {.ns = world.ns}));
  ASSERT_EQ(list.items.size(), 1u);
  EXPECT_EQ(list.items[0]["kind"].AsString(), "Deployment");
  EXPECT_EQ(list.items[0]["apiVersion"].AsString(), "apps/v1");
}

inline void ListsAllNamespaces(World& world) {
  COPPICE_CONTRACT_OK(
      world.client.Create(api::kConfigMaps, Labelled(ConfigMap(world, "a"), "contract", world.ns)));
  COPPICE_CONTRACT_VALUE(
      const ObjectList list,
      world.client.List(api::kConfigMaps, {.label_selector = "contract=" + world.ns}));
  EXPECT_THAT(Names(list), testing::ElementsAre("a"));
}

inline void SelectsByLabel(World& world) {
  for (const auto& [name, tier] : std::vector<std::pair<const char*, const char*>>{
           {"a", "front"}, {"b", "back"}, {"c", "cache"}}) {
    COPPICE_CONTRACT_OK(
        world.client.Create(api::kConfigMaps, Labelled(ConfigMap(world, name), "tier", tier)));
  }
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "none")));
  const auto select = [&](const char* selector) {
    const auto list =
        world.client.List(api::kConfigMaps, {.ns = world.ns,
                                             .label_selector = selector,
                                             .field_selector = "metadata.name!=kube-root-ca.crt"});
    return list ? Names(*list) : std::vector<std::string>{list.error().ToString()};
  };
  using testing::ElementsAre;
  EXPECT_THAT(select("tier=front"), ElementsAre("a"));
  EXPECT_THAT(select("tier==front"), ElementsAre("a"));
  EXPECT_THAT(select("tier!=front"), ElementsAre("b", "c", "none"));
  EXPECT_THAT(select("tier in (front,back)"), ElementsAre("a", "b"));
  EXPECT_THAT(select("tier notin (front, back)"), ElementsAre("c", "none"));
  EXPECT_THAT(select("tier"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(select("!tier"), ElementsAre("none"));
  EXPECT_THAT(select("tier,tier!=back"), ElementsAre("a", "c"));
}

inline void SelectsByField(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, "a")));
  json::Value bound = Pod(world, "b");
  bound.Mutable("spec").Set("nodeName", "node-1");
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, bound));
  const auto select = [&](const char* selector) {
    const auto list = world.client.List(api::kPods, {.ns = world.ns, .field_selector = selector});
    return list ? Names(*list) : std::vector<std::string>{list.error().ToString()};
  };
  using testing::ElementsAre;
  EXPECT_THAT(select("metadata.name=a"), ElementsAre("a"));
  EXPECT_THAT(select("spec.nodeName=node-1"), ElementsAre("b"));
  EXPECT_THAT(select("spec.nodeName="), ElementsAre("a"));
  EXPECT_THAT(select("status.phase=Pending,spec.nodeName!=node-1"), ElementsAre("a"));
}

inline void RefusesBadSelectors(World& world) {
  COPPICE_CONTRACT_FAILS(
      kInvalidArgument,
      world.client.List(api::kPods, {.ns = world.ns, .label_selector = "a in (b"}));
  COPPICE_CONTRACT_FAILS(
      kInvalidArgument,
      world.client.List(api::kPods, {.ns = world.ns, .field_selector = "spec.unknown=x"}));
}

}  // namespace coppice::kube::contract
