// Absurdly large values: an operator that accepted them would run out of memory, and so would its
// replacement.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using ::testing::HasSubstr;

constexpr int kHuge = 2147483647;

std::string Refusal(World& world, int64_t set, int64_t group, int64_t clique) {
  const auto created = world.TryCreate(*json::ParseYaml(fmt::format(
      "{{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {{name: big}}, spec: "
      "{{replicas: {}, template: {{cliques: [{{name: w, spec: {{roleName: w, replicas: {}, "
      "minAvailable: 1, podSpec: {{containers: [{{name: c, image: i}}]}}}}}}], "
      "podCliqueScalingGroups: [{{name: g, cliqueNames: [w], replicas: {}}}]}}}}}}",
      set, clique, group)));
  return created ? "" : created.error().message();
}

std::string FailureMessage(World& world, const api::Resource& resource, const std::string& name) {
  return kube::Condition(world.Get(resource, name), "ReplicaFailure")["message"].ToString();
}

TEST(Limits, AreToldWhenASetIsSubmitted) {
  for (const bool grove : {false, true}) {
    World world(grove ? GroveWorld() : DefaultWorld());
    EXPECT_THAT(Refusal(world, kHuge, 1, 1),
                HasSubstr("spec.replicas: Invalid value: 2147483647: must be at most 100000"));
    EXPECT_THAT(Refusal(world, 1, kHuge, 1),
                HasSubstr("spec.template.podCliqueScalingGroups[0].replicas"));
    EXPECT_THAT(Refusal(world, 1, 1, kHuge), HasSubstr("spec.template.cliques[0].spec.replicas"));
    EXPECT_THAT(Refusal(world, 100'000, 100'000, 100'000),
                HasSubstr("these are 1000000000000000 pods; a set may have at most 1000000"));
  }
}

// The scale subresource is not validated.
class ScaledBeyondMeasure : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.Create(SmallSet());
    ASSERT_TRUE(world_.Settle());
    pods_ = world_.Names(api::kPods);
  }

  // Nothing is created or deleted, the object reports why, and a valid number resolves it.
  void ExpectSurvives(const api::Resource& resource, const std::string& name, int replicas) {
    const int64_t observed = world_.Get(resource, name)["status"]["replicas"].AsInt();
    world_.Scale(resource, name, kHuge);
    ASSERT_TRUE(world_.Settle(std::chrono::seconds(90)));
    EXPECT_EQ(world_.Names(api::kPods), pods_);
    EXPECT_THAT(FailureMessage(world_, resource, name), HasSubstr("100000"));
    EXPECT_EQ(world_.Get(resource, name)["status"]["replicas"].AsInt(), observed);
    world_.Scale(resource, name, replicas);
    ASSERT_TRUE(world_.Settle());
    EXPECT_EQ(FailureMessage(world_, resource, name), "");
    EXPECT_EQ(FailureMessage(world_, api::kPodCliqueSets, "demo"), "");
    EXPECT_GT(world_.Names(api::kPods).size(), pods_.size());
  }

  World world_{DefaultWorld()};
  std::vector<std::string> pods_;
};

TEST_F(ScaledBeyondMeasure, ASet) { ExpectSurvives(api::kPodCliqueSets, "demo", 2); }

TEST_F(ScaledBeyondMeasure, AScalingGroup) {
  ExpectSurvives(api::kPodCliqueScalingGroups, "demo-0-g", 3);
}

TEST_F(ScaledBeyondMeasure, AClique) { ExpectSurvives(api::kPodCliques, "demo-0-fe", 3); }

}  // namespace
}  // namespace coppice::operators
