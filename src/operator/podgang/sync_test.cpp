#include "operator/podgang/sync.h"

#include <gtest/gtest.h>

#include "api/well_known.h"
#include "backends/framework/config.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/world_testing.h"

namespace coppice::operators {
namespace {

constexpr char kSyncedSet[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: s}
spec:
  replicas: 1
  template:
    cliques:
    - {name: w, spec: {roleName: w, replicas: 3, podSpec: {schedulerName: grove-scheduler, containers: [{name: c, image: "i:1"}]}}}
)";

// How often the spec of a new set's gang is written until everything is idle.
int64_t SpecWrites(const std::string& scheduler, uint64_t seed) {
  World::Options options;
  options.seed = seed;
  options.config.backends = backends::AllBackends();
  World world(std::move(options));
  std::string set = kSyncedSet;
  set.replace(set.find("grove-scheduler"), std::string("grove-scheduler").size(), scheduler);
  world.Create(set);
  EXPECT_TRUE(world.Settle());
  const json::Value gang = world.Get(api::kPodGangs, "s-0");
  EXPECT_EQ(gang["spec"]["podgroups"].At(0)["podReferences"].size(), 3u);
  EXPECT_TRUE(kube::ConditionIs(gang, "Initialized", "True"));
  return kube::Generation(gang);
}

TEST(PodGangs, AreWrittenOnceAndWhole) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(SpecWrites("grove-scheduler", seed), 1) << seed;
    EXPECT_EQ(SpecWrites("default-scheduler", seed), 1) << seed;
  }
}

// Pods that carry their gang's uid cannot be created before it.
TEST(PodGangs, ComeBeforePodsThatNeedThem) { EXPECT_EQ(SpecWrites("yunikorn", 3), 2); }

// Whether the gang asks for its own previous places at some time during an update.
bool ReusedDuringUpdate(World& world) {
  world.Create(kSyncedSet);
  EXPECT_TRUE(world.Settle());
  const auto patched = world.client->Patch(
      api::kPodCliqueSets, {World::kNamespace, "s"}, kube::PatchType::kJson,
      *json::ParseYaml("[{op: replace, path: /spec/template/cliques/0/spec/podSpec/containers/0/"
                       "image, value: 'i:2'}]"));
  EXPECT_TRUE(patched.ok());
  bool reused = false;
  while (world.stepper.Step()) {
    const json::Value gang = world.Get(api::kPodGangs, "s-0");
    reused |= gang["spec"]["reuseReservationRef"]["name"].AsString() == "s-0";
  }
  return reused;
}

TEST(ReuseReservation, IsAskedForWhilePodsAreRecreated) {
  World::Options options;
  options.config.backends = backends::AllBackends();
  World world(std::move(options));
  EXPECT_TRUE(ReusedDuringUpdate(world));
  EXPECT_TRUE(world.Settle());
  EXPECT_FALSE(world.Get(api::kPodGangs, "s-0")["spec"].Has("reuseReservationRef"));
  for (const json::Value& pod : world.List(api::kPods)) {
    EXPECT_EQ(pod["spec"]["containers"].At(0)["image"].AsString(), "i:2");
  }
}

TEST(ReuseReservation, IsUnknownToUpstream) {
  World::Options options;
  options.config.backends = backends::AllBackends();
  options.config.backends.policy = &backends::CompatibilityPolicy::Grove();
  World world(std::move(options));
  EXPECT_FALSE(ReusedDuringUpdate(world));
}

}  // namespace
}  // namespace coppice::operators
