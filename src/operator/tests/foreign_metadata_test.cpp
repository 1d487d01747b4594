// Labels and annotations of others on a set's objects stay, whatever happens to the set. Those
// copied from the set are removed when they are removed there.
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using json::Value;

constexpr char kLabelledSet[] =
    "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: app, labels: {of-set: "
    "a}, annotations: {note-of-set: a}}, spec: {replicas: 1, template: {cliques: [{name: w, "
    "labels: {of-clique: b}, annotations: {note-of-clique: b}, spec: {roleName: w, replicas: 1, "
    "podSpec: {containers: [{name: c, image: i}]}}}, {name: v, spec: {roleName: v, replicas: 1, "
    "podSpec: {containers: [{name: c, image: i}]}}}], podCliqueScalingGroups: [{name: g, "
    "cliqueNames: [v], annotations: {note-of-group: d}}]}}}";

class ForeignMetadata : public ::testing::Test {
 protected:
  ForeignMetadata() {
    world_.Create(kLabelledSet);
    EXPECT_TRUE(world_.Settle());
    for (const auto& [resource, name] : parts_) {
      world_.MergePatch(resource, name,
                        "{metadata: {labels: {foreign: x}, annotations: {foreign: z}}}");
    }
    EXPECT_TRUE(world_.Settle());
  }

  std::string Label(const api::Resource& resource, const std::string& name,
                    const std::string& key) {
    return std::string(kube::Label(world_.Get(resource, name), key));
  }
  std::string Note(const api::Resource& resource, const std::string& name, const std::string& key) {
    return std::string(kube::Annotation(world_.Get(resource, name), key));
  }
  void Patch(const std::string& operations) {
    const auto patched = world_.client->Patch(api::kPodCliqueSets, {World::kNamespace, "app"},
                                              kube::PatchType::kJson, *json::ParseYaml(operations));
    ASSERT_TRUE(patched) << patched.error().message();
    ASSERT_TRUE(world_.Settle());
  }

  const std::vector<std::pair<api::Resource, std::string>> parts_ = {
      {api::kPodCliques, "app-0-w"},
      {api::kPodCliques, "app-0-g-0-v"},
      {api::kPodCliqueScalingGroups, "app-0-g"},
      {api::kPodGangs, "app-0"},
      {api::kServices, "app-0"}};
  World world_{DefaultWorld()};
};

TEST_F(ForeignMetadata, StaysWhenTheSetChanges) {
  Patch(
      "[{op: add, path: /metadata/labels/more, value: m}, {op: add, path: "
      "/spec/template/cliques/0/labels/more, value: m}, {op: replace, path: "
      "/spec/template/cliques/0/spec/podSpec/containers/0/image, value: j}]");
  for (const auto& [resource, name] : parts_) {
    EXPECT_EQ(Label(resource, name, "foreign"), "x") << resource.kind;
    EXPECT_EQ(Note(resource, name, "foreign"), "z") << resource.kind;
  }
  EXPECT_EQ(Label(api::kPodCliques, "app-0-w", "more"), "m");
  EXPECT_EQ(Label(api::kPodGangs, "app-0", "more"), "m");
}

TEST_F(ForeignMetadata, WhatWasCopiedGoesWithItsOrigin) {
  EXPECT_EQ(Label(api::kPodGangs, "app-0", "of-set"), "a");
  EXPECT_EQ(Label(api::kPodCliques, "app-0-w", "of-clique"), "b");
  EXPECT_EQ(Note(api::kPodCliqueScalingGroups, "app-0-g", "note-of-group"), "d");
  Patch(
      "[{op: remove, path: /metadata/labels/of-set}, {op: remove, path: "
      "/metadata/annotations/note-of-set}, {op: remove, path: "
      "/spec/template/cliques/0/labels/of-clique}, {op: remove, path: "
      "/spec/template/cliques/0/annotations/note-of-clique}]");
  EXPECT_EQ(Label(api::kPodGangs, "app-0", "of-set"), "");
  EXPECT_EQ(Note(api::kPodGangs, "app-0", "note-of-set"), "");
  EXPECT_EQ(Label(api::kPodCliques, "app-0-w", "of-clique"), "");
  EXPECT_EQ(Note(api::kPodCliques, "app-0-w", "note-of-clique"), "");
  EXPECT_EQ(Label(api::kPodCliques, "app-0-w", "foreign"), "x");
  EXPECT_EQ(Label(api::kPodGangs, "app-0", "foreign"), "x");
}

TEST_F(ForeignMetadata, IsNotPassedOnToPods) {
  world_.Scale(api::kPodCliques, "app-0-w", 2);
  ASSERT_TRUE(world_.Settle());
  const Value pod = world_.PodOf("app-0-w-1");
  ASSERT_FALSE(pod.IsNull());
  EXPECT_EQ(kube::Label(pod, "foreign"), "");
  EXPECT_EQ(kube::Annotation(pod, "foreign"), "");
  EXPECT_EQ(kube::Annotation(pod, labels::kCopiedKeys), "");
  EXPECT_EQ(kube::Label(pod, "of-clique"), "b");
  EXPECT_EQ(kube::Annotation(pod, "note-of-clique"), "b");
}

// Otherwise each change of the set would change all its gangs.
TEST(CopiedMetadata, WhatKubectlAppliedStaysOnTheSet) {
  for (const bool grove : {false, true}) {
    World world(grove ? GroveWorld() : DefaultWorld());
    const std::string key = "kubectl.kubernetes.io/last-applied-configuration";
    Value set = *json::ParseYaml(kLabelledSet);
    set.Mutable("metadata").Mutable("annotations").Set(key, "{}");
    ASSERT_TRUE(world.TryCreate(set));
    ASSERT_TRUE(world.Settle());
    EXPECT_EQ(kube::Annotation(world.Get(api::kPodGangs, "app-0"), key), grove ? "{}" : "");
  }
}

// Upstream replaces the existing metadata.
TEST(ForeignMetadataUnderGrove, GoesFromCliquesAndGangs) {
  World world(GroveWorld());
  world.Create(kLabelledSet);
  ASSERT_TRUE(world.Settle());
  for (const api::Resource& resource : {api::kPodCliques, api::kPodGangs}) {
    const std::string name = resource == api::kPodCliques ? "app-0-w" : "app-0";
    world.MergePatch(resource, name, "{metadata: {labels: {foreign: x}}}");
    world.MergePatch(api::kPodCliqueSets, "app", "{metadata: {labels: {again: '" + name + "'}}}");
    ASSERT_TRUE(world.Settle());
    EXPECT_EQ(kube::Label(world.Get(resource, name), "foreign"), "") << name;
    EXPECT_EQ(kube::Annotation(world.Get(resource, name), labels::kCopiedKeys), "");
  }
}

}  // namespace
}  // namespace coppice::operators
