// Migrating from upstream's Grove and back: no pods are replaced.
#include <gtest/gtest.h>

#include <map>

#include "api/well_known.h"
#include "json/write.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

const std::vector<api::Resource>& Ours() {
  static const std::vector<api::Resource> resources = {
      api::kPodCliqueSets, api::kPodCliques, api::kPodCliqueScalingGroups, api::kPodGangs,
      api::kPods,          api::kServices,   api::kServiceAccounts,        api::kRoles,
      api::kRoleBindings,  api::kSecrets};
  return resources;
}

// Replaces every hash, as on another operator's objects.
json::Value WithForeignHashes(const json::Value& value) {
  static const std::string_view kHashFields[] = {
      "currentGenerationHash",  "currentPodCliqueSetGenerationHash",
      "currentPodTemplateHash", "podCliqueSetGenerationHash",
      "podTemplateHash",        labels::kTemplateHash};
  if (!value.IsObject()) return value;
  json::Value changed = json::Value::Object();
  for (const json::Member& member : value.Members()) {
    const bool is_hash = std::find(std::begin(kHashFields), std::end(kHashFields), member.name()) !=
                         std::end(kHashFields);
    changed.Set(member.name(), is_hash ? json::Value("grove" + member.value.ToString())
                                       : WithForeignHashes(member.value));
  }
  return changed;
}

// Makes the cluster look as if upstream's Grove, which computes other hashes, had left it.
void MakeForeign(World& world) {
  for (const api::Resource& resource : Ours()) {
    for (const json::Value& object : world.List(resource)) {
      json::Value changed = object;
      changed.Set("metadata", WithForeignHashes(object["metadata"]));
      if (!(changed == object)) {
        const auto updated = world.client->Update(resource, changed);
        ASSERT_TRUE(updated) << updated.error().message();
        changed = *updated;
      }
      const json::Value status = WithForeignHashes(object["status"]);
      if (status == object["status"]) continue;
      changed.Set("status", status);
      const auto updated = world.client->Update(resource, changed, {.subresource = "status"});
      ASSERT_TRUE(updated) << updated.error().message();
    }
  }
}

// Everything that an operator may have written, as text by object.
std::map<std::string, std::string> Snapshot(World& world) {
  std::map<std::string, std::string> snapshot;
  for (const api::Resource& resource : Ours()) {
    for (json::Value object : world.List(resource)) {
      json::Value& metadata = object.Mutable("metadata");
      for (const std::string_view field : {"managedFields", "resourceVersion"}) {
        metadata.Erase(field);
      }
      if (json::Value* annotations = metadata.FindMutable("annotations")) {
        annotations->Erase(labels::kAdoptedHashes);
        if (annotations->empty()) metadata.Erase("annotations");
      }
      snapshot[resource.kind + "/" + std::string(kube::Name(object))] = json::Write(object);
    }
  }
  return snapshot;
}

class Takeover : public ::testing::TestWithParam<uint64_t> {
 protected:
  Takeover() {
    world_.Create(SmallSet("i:1", 2));
    EXPECT_TRUE(world_.Settle());
    MakeForeign(world_);
    before_ = Snapshot(world_);
    world_.Restart();
    EXPECT_TRUE(world_.Settle());
  }

  World world_{GroveWorld(GetParam())};
  std::map<std::string, std::string> before_;
};

TEST_P(Takeover, LeavesEveryObjectAsItWas) {
  const auto after = Snapshot(world_);
  ASSERT_EQ(after.size(), before_.size());
  for (const auto& [name, text] : before_) EXPECT_EQ(after.at(name), text) << name;
  const int64_t writes = world_.writes();
  world_.RunFor(std::chrono::minutes(10));
  EXPECT_EQ(world_.writes(), writes);
}

// When upstream's Grove returns, it finds its own hashes on every object, so it has nothing to
// replace either.
TEST_P(Takeover, ScalingAndReplacementUseTheFoundHashes) {
  world_.Scale(api::kPodCliques, "demo-0-fe", 3);
  world_.Scale(api::kPodCliqueScalingGroups, "demo-0-g", 3);
  world_.Delete(api::kPods, std::string(kube::Name(world_.PodOf("demo-1-fe-0"))));
  ASSERT_TRUE(world_.Settle());
  for (const json::Value& pod : world_.List(api::kPods)) {
    EXPECT_EQ(kube::Label(pod, labels::kTemplateHash).substr(0, 5), "grove") << kube::Name(pod);
  }
  for (const json::Value& clique : world_.List(api::kPodCliques)) {
    EXPECT_EQ(kube::Label(clique, labels::kTemplateHash).substr(0, 5), "grove")
        << kube::Name(clique);
    EXPECT_EQ(clique["status"]["currentPodTemplateHash"].AsString(),
              kube::Label(clique, labels::kTemplateHash));
  }
}

TEST_P(Takeover, ALaterChangeRollsOut) {
  world_.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(PodsWithImage(world_, "i:2"), static_cast<int>(world_.List(api::kPods).size()));
  const json::Value set = world_.Get(api::kPodCliqueSets, "demo");
  EXPECT_EQ(set["status"]["updatedReplicas"].AsInt(), 2);
  EXPECT_NE(set["status"]["currentGenerationHash"].ToString().substr(0, 5), "grove");
}

INSTANTIATE_TEST_SUITE_P(Seeds, Takeover, ::testing::Range<uint64_t>(0, 5));

TEST(TakeoverOfWaitingPods, TheirGatesAreKnownUnderEitherProfile) {
  for (const bool grove : {false, true}) {
    World::Options options = grove ? GroveWorld() : DefaultWorld();
    options.bind = false;
    World world(options);
    world.Create(SmallSet());
    ASSERT_TRUE(world.Settle());
    world.bind = true;
    world.RestartAfter([&](Config& config) {
      config.backends.policy = grove ? &backends::CompatibilityPolicy::Coppice()
                                     : &backends::CompatibilityPolicy::Grove();
    });
    // Pods of the base gang that were released before are bound when something about them changes.
    for (const json::Value& pod : world.List(api::kPods)) {
      world.MergePatch(api::kPods, std::string(kube::Name(pod)),
                       "{metadata: {labels: {seen: again}}}");
    }
    ASSERT_TRUE(world.Settle());
    for (const json::Value& pod : world.List(api::kPods)) {
      EXPECT_TRUE(pod["spec"]["schedulingGates"].empty()) << kube::Name(pod) << grove;
    }
  }
}

// A template that was changed while no operator ran is rolled out, not adopted.
TEST(TakeoverOfAChange, IsAnUpdate) {
  World world(GroveWorld());
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  MakeForeign(world);
  world.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
  world.Restart();
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(PodsWithImage(world, "i:2"), static_cast<int>(world.List(api::kPods).size()));
}

}  // namespace
}  // namespace coppice::operators
