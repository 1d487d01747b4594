#pragma once

#include "kube/contract/world_testing.h"

// The client contract: patches, applies and deletes.
namespace coppice::kube::contract {

inline void PatchesWithJsonPatch(World& world) {
  using json::Value;
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  const ObjectKey key{world.ns, "a"};
  const auto operation = [](const char* op, const char* path, const char* value) {
    return Value::Object({{"op", op}, {"path", path}, {"value", value}});
  };
  COPPICE_CONTRACT_VALUE(const Value patched,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kJson,
                                            Value::Array({operation("test", "/data/key", "1"),
                                                          operation("replace", "/data/key", "2"),
                                                          operation("add", "/data/other", "3")})));
  EXPECT_EQ(patched["data"], Value::Object({{"key", "2"}, {"other", "3"}}));
  COPPICE_CONTRACT_FAILS(
      kInvalid, world.client.Patch(api::kConfigMaps, key, PatchType::kJson,
                                   Value::Array({operation("test", "/data/key", "wrong")})));
}

inline void PatchesWithMergePatch(World& world) {
  using json::Value;
  COPPICE_CONTRACT_VALUE(const Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  const ObjectKey key{world.ns, "a"};
  const Value patch = Value::Object({{"data", Value::Object({{"key", nullptr}, {"new", "x"}})}});
  COPPICE_CONTRACT_VALUE(const Value patched,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kMerge, patch));
  EXPECT_EQ(patched["data"], Value::Object({{"new", "x"}}));
  Value guarded = patch;
  guarded.Mutable("metadata").Set("resourceVersion", ResourceVersion(made));
  COPPICE_CONTRACT_FAILS(kConflict,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kMerge, guarded));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Patch(api::kConfigMaps, {world.ns, "none"},
                                                       PatchType::kMerge, patch));
}

inline void PatchesListsByTheirKeys(World& world) {
  using json::Value;
  COPPICE_CONTRACT_OK(world.client.Create(api::kDeployments, Deployment(world, "a")));
  const Value container = Value::Object({{"name", "side"}, {"image", "example.com/b:1"}});
  const Value patch = Value::Object(
      {{"spec", Value::Object(
                    {{"template",
                      Value::Object({{"spec", Value::Object({{"containers",
                                                              Value::Array({container})}})}})}})}});
  COPPICE_CONTRACT_VALUE(const Value patched, world.client.Patch(api::kDeployments, {world.ns, "a"},
                                                                 PatchType::kStrategic, patch));
  std::vector<std::string> names;
  for (const Value& item : patched["spec"]["template"]["spec"]["containers"].Items()) {
    names.push_back(item["name"].ToString());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("main", "side"));
}

inline json::Value Applied(const World& world, std::string_view name,
                           std::vector<json::Member> data) {
  json::Value map = NewObject(api::kConfigMaps, world.ns, name);
  map.Set("data", json::Value::Object(std::move(data)));
  return map;
}

inline void AppliesAndRemovesOwnFields(World& world) {
  using json::Value;
  const ObjectKey key{world.ns, "a"};
  const WriteOptions manager{.field_manager = "one"};
  COPPICE_CONTRACT_VALUE(
      const Value made, world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                           Applied(world, "a", {{"x", "1"}, {"y", "1"}}), manager));
  EXPECT_FALSE(Uid(made).empty());
  const Value& managed = made["metadata"]["managedFields"].At(0);
  EXPECT_EQ(managed["manager"].AsString(), "one");
  EXPECT_EQ(managed["operation"].AsString(), "Apply");
  EXPECT_TRUE(managed["fieldsV1"]["f:data"].Has("f:x"));
  COPPICE_CONTRACT_VALUE(const Value again,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                            Applied(world, "a", {{"x", "1"}}), manager));
  EXPECT_EQ(again["data"], Value::Object({{"x", "1"}}));
  COPPICE_CONTRACT_VALUE(const Value same,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                            Applied(world, "a", {{"x", "1"}}), manager));
  EXPECT_EQ(ResourceVersion(same), ResourceVersion(again)) << "nothing changed";
}

inline void RefusesToApplyOverOthers(World& world) {
  using json::Value;
  const ObjectKey key{world.ns, "a"};
  COPPICE_CONTRACT_OK(world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                         Applied(world, "a", {{"x", "1"}}),
                                         {.field_manager = "one"}));
  const auto refused =
      world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                         Applied(world, "a", {{"x", "2"}}), {.field_manager = "two"});
  ASSERT_TRUE(refused.Is(base::ErrorCode::kConflict));
  ASSERT_EQ(refused.error().causes().size(), 1u);
  EXPECT_EQ(refused.error().causes()[0].reason, "FieldManagerConflict");
  EXPECT_EQ(refused.error().causes()[0].field, ".data.x");
  COPPICE_CONTRACT_VALUE(const Value forced,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                            Applied(world, "a", {{"x", "2"}}),
                                            {.field_manager = "two", .force = true}));
  EXPECT_EQ(forced["data"]["x"].AsString(), "2");
  // Equal values are shared, not fought over.
  COPPICE_CONTRACT_OK(world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                         Applied(world, "a", {{"x", "2"}}),
                                         {.field_manager = "three"}));
}

inline void GuardsDeletesByPrecondition(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  const ObjectKey key{world.ns, "a"};
  COPPICE_CONTRACT_FAILS(
      kConflict,
      world.client.Delete(api::kConfigMaps, key, {.uid = "00000000-0000-4000-8000-000000000000"}));
  COPPICE_CONTRACT_FAILS(kConflict,
                         world.client.Delete(api::kConfigMaps, key, {.resource_version = "1"}));
  COPPICE_CONTRACT_OK(world.client.Delete(
      api::kConfigMaps, key,
      {.uid = std::string(Uid(made)), .resource_version = std::string(ResourceVersion(made))}));
}

inline void WaitsForFinalizers(World& world) {
  json::Value map = ConfigMap(world, "a");
  map.Mutable("metadata").Set("finalizers", json::Value::Array({"example.com/hold"}));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, map));
  const ObjectKey key{world.ns, "a"};
  COPPICE_CONTRACT_OK(world.client.Delete(api::kConfigMaps, key));
  COPPICE_CONTRACT_VALUE(json::Value deleting, world.client.Get(api::kConfigMaps, key));
  EXPECT_TRUE(IsDeleting(deleting));
  deleting.Mutable("metadata").Erase("finalizers");
  COPPICE_CONTRACT_OK(world.client.Update(api::kConfigMaps, deleting));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Get(api::kConfigMaps, key));
}

inline void DeletesCollections(World& world) {
  for (const char* name : {"a", "b"}) {
    COPPICE_CONTRACT_OK(
        world.client.Create(api::kConfigMaps, Labelled(ConfigMap(world, name), "old", "1")));
  }
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "keep")));
  COPPICE_CONTRACT_OK(
      world.client.DeleteCollection(api::kConfigMaps, {.ns = world.ns, .label_selector = "old"}));
  COPPICE_CONTRACT_VALUE(
      const ObjectList left,
      world.client.List(api::kConfigMaps,
                        {.ns = world.ns, .field_selector = "metadata.name!=kube-root-ca.crt"}));
  EXPECT_THAT(Names(left), testing::ElementsAre("keep"));
}

// "child", owned by the config map "owner".
inline void MakeFamily(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value owner,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "owner")));
  json::Value child = ConfigMap(world, "child");
  child.Mutable("metadata")
      .Set("ownerReferences",
           json::Value::Array({json::Value::Object({{"apiVersion", "v1"},
                                                    {"kind", "ConfigMap"},
                                                    {"name", "owner"},
                                                    {"uid", Uid(owner)},
                                                    {"blockOwnerDeletion", true}})}));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, child));
}

inline bool IsGone(World& world, const char* name) {
  return world.client.Get(api::kConfigMaps, {world.ns, name}).Is(base::ErrorCode::kNotFound);
}

inline void DeletesTheOwnedWithTheirOwner(World& world) {
  for (const char* propagation : {"Background", "Foreground"}) {
    MakeFamily(world);
    COPPICE_CONTRACT_OK(
        world.client.Delete(api::kConfigMaps, {world.ns, "owner"}, {.propagation = propagation}));
    ASSERT_TRUE(world.eventually([&] { return IsGone(world, "child") && IsGone(world, "owner"); }))
        << propagation;
  }
}

inline void LeavesOrphansBehind(World& world) {
  MakeFamily(world);
  COPPICE_CONTRACT_OK(
      world.client.Delete(api::kConfigMaps, {world.ns, "owner"}, {.propagation = "Orphan"}));
  EXPECT_TRUE(world.eventually([&] { return IsGone(world, "owner"); }));
  COPPICE_CONTRACT_VALUE(const json::Value child,
                         world.client.Get(api::kConfigMaps, {world.ns, "child"}));
  EXPECT_TRUE(child["metadata"]["ownerReferences"].empty());
}

}  // namespace coppice::kube::contract
