#pragma once

#include "kube/contract/world_testing.h"

// The client contract: subresources, the rules of some kinds, custom resources, discovery.
namespace coppice::kube::contract {

inline void SeparatesStatusFromSpec(World& world) {
  COPPICE_CONTRACT_VALUE(json::Value pod, world.client.Create(api::kPods, Pod(world, "a")));
  pod.Mutable("status").Set("phase", "Running");
  COPPICE_CONTRACT_VALUE(const json::Value ignored,
                         world.client.Update(api::kPods, Labelled(pod, "x", "1")));
  EXPECT_EQ(ignored["status"]["phase"].AsString(), "Pending");
  json::Value running = ignored;
  running.Mutable("status").Set("phase", "Running");
  COPPICE_CONTRACT_VALUE(const json::Value updated,
                         world.client.Update(api::kPods, running, {.subresource = "status"}));
  EXPECT_EQ(updated["status"]["phase"].AsString(), "Running");
  const json::Value patch =
      json::Value::Object({{"status", json::Value::Object({{"reason", "Because"}})}});
  COPPICE_CONTRACT_VALUE(const json::Value patched,
                         world.client.Patch(api::kPods, {world.ns, "a"}, PatchType::kMerge, patch,
                                            {.subresource = "status"}));
  EXPECT_EQ(patched["status"]["reason"].AsString(), "Because");
  EXPECT_EQ(patched["status"]["phase"].AsString(), "Running");
}

inline void Scales(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kDeployments, Deployment(world, "a")));
  const ObjectKey key{world.ns, "a"};
  COPPICE_CONTRACT_VALUE(json::Value scale,
                         world.client.Get(api::kDeployments, key, {.subresource = "scale"}));
  EXPECT_EQ(scale["kind"].AsString(), "Scale");
  EXPECT_EQ(scale["spec"]["replicas"].AsInt(), 2);
  scale.Mutable("spec").Set("replicas", 5);
  COPPICE_CONTRACT_OK(world.client.Update(api::kDeployments, scale, {.subresource = "scale"}));
  COPPICE_CONTRACT_VALUE(const json::Value scaled, world.client.Get(api::kDeployments, key));
  EXPECT_EQ(scaled["spec"]["replicas"].AsInt(), 5);
}

inline json::Value Binding(const World& world, std::string_view pod, std::string_view node) {
  json::Value binding = NewObject({"", "v1", "bindings", "Binding", true}, world.ns, pod);
  binding.Set("target",
              json::Value::Object({{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}));
  return binding;
}

inline void BindsOnce(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, "a")));
  const WriteOptions options{.subresource = "binding"};
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Binding(world, "a", "node-1"), options));
  COPPICE_CONTRACT_VALUE(const json::Value bound, world.client.Get(api::kPods, {world.ns, "a"}));
  EXPECT_EQ(bound["spec"]["nodeName"].AsString(), "node-1");
  EXPECT_TRUE(ConditionIs(bound, "PodScheduled", "True"));
  COPPICE_CONTRACT_FAILS(kConflict,
                         world.client.Create(api::kPods, Binding(world, "a", "node-2"), options));
  COPPICE_CONTRACT_FAILS(
      kNotFound, world.client.Create(api::kPods, Binding(world, "none", "node-1"), options));
}

inline void RefusesToBindAnotherPodOfTheName(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, "a")));
  json::Value binding = Binding(world, "a", "node-1");
  binding.Mutable("metadata").Set("uid", "00000000-0000-4000-8000-000000000000");
  COPPICE_CONTRACT_FAILS(kConflict,
                         world.client.Create(api::kPods, binding, {.subresource = "binding"}));
}

inline void HoldsGatedPods(World& world) {
  json::Value pod = Pod(world, "a");
  pod.Mutable("spec").Set("schedulingGates",
                          json::Value::Array({json::Value::Object({{"name", "example.com/g"}})}));
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, pod));
  const auto bound =
      world.client.Create(api::kPods, Binding(world, "a", "node-1"), {.subresource = "binding"});
  ASSERT_FALSE(bound);
  COPPICE_CONTRACT_VALUE(const json::Value held, world.client.Get(api::kPods, {world.ns, "a"}));
  EXPECT_TRUE(held["spec"]["nodeName"].AsString().empty());
}

inline void Evicts(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, "a")));
  const json::Value eviction =
      NewObject({"policy", "v1", "evictions", "Eviction", true}, world.ns, "a");
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, eviction, {.subresource = "eviction"}));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Get(api::kPods, {world.ns, "a"}));
}

inline void TriesWithoutEffect(World& world) {
  const WriteOptions dry{.dry_run = true};
  COPPICE_CONTRACT_VALUE(const json::Value tried,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a"), dry));
  EXPECT_EQ(Name(tried), "a");
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Get(api::kConfigMaps, {world.ns, "a"}));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_OK(world.client.Delete(api::kConfigMaps, {world.ns, "a"}, {.dry_run = true}));
  COPPICE_CONTRACT_OK(world.client.Get(api::kConfigMaps, {world.ns, "a"}));
}

inline void RefusesUnknownFieldsWhenStrict(World& world) {
  json::Value pod = Pod(world, "a");
  pod.Mutable("spec").Set("noSuchField", 1);
  COPPICE_CONTRACT_FAILS(kInvalidArgument,
                         world.client.Create(api::kPods, pod, {.field_validation = "Strict"}));
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kPods, pod, {.field_validation = "Ignore"}));
  EXPECT_FALSE(made["spec"].Has("noSuchField"));
}

inline void CountsGenerations(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kDeployments, Deployment(world, "a")));
  EXPECT_EQ(Generation(made), 1);
  const ObjectKey key{world.ns, "a"};
  const json::Value label = json::Value::Object(
      {{"metadata", json::Value::Object({{"labels", json::Value::Object({{"x", "1"}})}})}});
  COPPICE_CONTRACT_VALUE(const json::Value labelled,
                         world.client.Patch(api::kDeployments, key, PatchType::kMerge, label));
  EXPECT_EQ(Generation(labelled), 1);
  const json::Value replicas =
      json::Value::Object({{"spec", json::Value::Object({{"replicas", 7}})}});
  COPPICE_CONTRACT_VALUE(const json::Value scaled,
                         world.client.Patch(api::kDeployments, key, PatchType::kMerge, replicas));
  EXPECT_EQ(Generation(scaled), 2);
}

inline void KeepsImmutableFields(World& world) {
  COPPICE_CONTRACT_VALUE(json::Value pod, world.client.Create(api::kPods, Pod(world, "a")));
  pod.Mutable("spec").Set("hostNetwork", true);
  const auto refused = world.client.Update(api::kPods, pod);
  ASSERT_TRUE(refused.Is(base::ErrorCode::kInvalid)) << (refused ? "" : refused.error().ToString());
  ASSERT_FALSE(refused.error().causes().empty());
  EXPECT_THAT(refused.error().causes()[0].field, testing::StartsWith("spec"));
}

inline void AnswersPaths(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value version, world.client.GetPath("/version"));
  EXPECT_EQ(version["major"].AsString(), "1");
  COPPICE_CONTRACT_VALUE(const json::Value core, world.client.GetPath("/api/v1"));
  EXPECT_EQ(core["kind"].AsString(), "APIResourceList");
  COPPICE_CONTRACT_VALUE(const json::Value groups, world.client.GetPath("/apis"));
  EXPECT_EQ(groups["kind"].AsString(), "APIGroupList");
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.GetPath("/apis/example.com/v1"));
}

inline void RefusesUnknownResources(World& world) {
  const Resource unknown{"example.com", "v1", "things", "Thing", true};
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Get(unknown, {world.ns, "a"}));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.List(unknown, {.ns = world.ns}));
}

// A resource of its own for each run of the case.
inline Resource CustomResource(const World& world) {
  return {world.ns + ".example.com", "v1", "gadgets", "Gadget", true};
}

inline json::Value CustomDefinition(const Resource& resource) {
  using json::Value;
  const Value integer = Value::Object({{"type", "integer"}});
  Value size = integer;
  size.Set("minimum", 1).Set("default", 3);
  const Value schema = Value::Object(
      {{"type", "object"},
       {"properties",
        Value::Object(
            {{"spec", Value::Object({{"type", "object"},
                                     {"default", Value::Object()},
                                     {"properties", Value::Object({{"size", size}})}})},
             {"status", Value::Object({{"type", "object"},
                                       {"properties", Value::Object({{"seen", integer}})}})}})}});
  const Value version =
      Value::Object({{"name", resource.version},
                     {"served", true},
                     {"storage", true},
                     {"subresources", Value::Object({{"status", Value::Object()}})},
                     {"schema", Value::Object({{"openAPIV3Schema", schema}})}});
  Value definition =
      NewObject(api::kCustomResourceDefinitions, "", resource.plural + "." + resource.group);
  definition.Set("spec", Value::Object({{"group", resource.group},
                                        {"scope", "Namespaced"},
                                        {"names", Value::Object({{"plural", resource.plural},
                                                                 {"singular", "gadget"},
                                                                 {"kind", resource.kind}})},
                                        {"versions", Value::Array({version})}}));
  return definition;
}

inline void ServesCustomResources(World& world) {
  using json::Value;
  const Resource gadgets = CustomResource(world);
  COPPICE_CONTRACT_VALUE(
      const Value definition,
      world.client.Create(api::kCustomResourceDefinitions, CustomDefinition(gadgets)));
  ASSERT_TRUE(world.eventually([&] { return world.client.List(gadgets, {.ns = world.ns}).ok(); }));
  Value gadget = NewObject(gadgets, world.ns, "a");
  gadget.Set("status", Value::Object({{"seen", 1}}));
  gadget.Mutable("spec").Set("unknown", 1);
  COPPICE_CONTRACT_VALUE(Value made, world.client.Create(gadgets, gadget));
  EXPECT_EQ(made["spec"], Value::Object({{"size", 3}})) << "defaulted and pruned";
  EXPECT_FALSE(made.Has("status"));
  made.Set("status", Value::Object({{"seen", 2}}));
  COPPICE_CONTRACT_VALUE(const Value updated,
                         world.client.Update(gadgets, made, {.subresource = "status"}));
  EXPECT_EQ(updated["status"]["seen"].AsInt(), 2);
  EXPECT_EQ(Generation(updated), 1);
  Value wrong = NewObject(gadgets, world.ns, "b");
  wrong.Mutable("spec").Set("size", 0);
  const auto refused = world.client.Create(gadgets, wrong);
  ASSERT_TRUE(refused.Is(base::ErrorCode::kInvalid));
  ASSERT_FALSE(refused.error().causes().empty());
  EXPECT_EQ(refused.error().causes()[0].field, "spec.size");
  COPPICE_CONTRACT_OK(
      world.client.Delete(api::kCustomResourceDefinitions, {"", std::string(Name(definition))}));
  EXPECT_TRUE(world.eventually([&] {
    return world.client.List(gadgets, {.ns = world.ns}).Is(base::ErrorCode::kNotFound);
  })) << "no longer served";
}

}  // namespace coppice::kube::contract
