// A PodGang that is deleted while its pods run is recreated, and so is its scheduler's object, with
// the name that the pods refer to. Otherwise old and new pods would be two halves of a gang.
#include <gmock/gmock.h>

#include <set>

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"
#include "tests/crds/crds.h"

namespace coppice::operators {
namespace {

std::string SetOn(const std::string& scheduler) {
  const std::string spec = "replicas: 2, podSpec: {schedulerName: " + scheduler +
                           ", containers: [{name: c, image: i}]}}}";
  return "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: demo}, spec: "
         "{replicas: 1, template: {cliques: [{name: a, spec: {roleName: a, " +
         spec + ", {name: b, spec: {roleName: b, " + spec + "]}}}";
}

// The gang and one of its cliques are deleted at the same time.
void DeleteGangAndClique(World& world) {
  world.Delete(api::kPodGangs, "demo-0");
  world.Delete(api::kPodCliques, "demo-0-b");
  ASSERT_TRUE(world.Settle());
}

void ExpectOwnedByTheGang(World& world, const api::Resource& resource, const std::string& name) {
  ASSERT_TRUE(world.Exists(resource, name)) << name;
  EXPECT_EQ(kube::ControllerOwner(world.Get(resource, name))["uid"],
            world.Get(api::kPodGangs, "demo-0")["metadata"]["uid"]);
  EXPECT_EQ(world.List(resource).size(), 1u);
}

TEST(GangAgain, KaisPodGroupKeepsTheNameThatPodsKnow) {
  World::Options options;
  options.crds = test_crds::Of("kai");
  options.config.backends.profiles = {{.name = "kai-scheduler", .backend = "kai"}};
  options.config.backends.default_profile = "kai-scheduler";
  World world(options);
  world.Create(SetOn("kai-scheduler"));
  ASSERT_TRUE(world.Settle());
  DeleteGangAndClique(world);
  std::set<std::string> known;
  for (const json::Value& pod : world.List(api::kPods)) {
    known.emplace(kube::Annotation(pod, "pod-group-name"));
    EXPECT_FALSE(pod["spec"]["nodeName"].IsNull()) << kube::Name(pod);
  }
  ASSERT_EQ(known.size(), 1u);
  ExpectOwnedByTheGang(world, api::kPodGroups, *known.begin());
}

TEST(GangAgain, WorkloadsKeepTheirName) {
  World world(DefaultWorld());
  world.Create(SetOn("default-scheduler"));
  ASSERT_TRUE(world.Settle());
  ASSERT_TRUE(world.Exists(api::kWorkloadsV1Alpha1, "demo-0"));
  DeleteGangAndClique(world);
  ExpectOwnedByTheGang(world, api::kWorkloadsV1Alpha1, "demo-0");
  for (const json::Value& pod : world.List(api::kPods)) {
    EXPECT_EQ(pod["spec"]["workloadRef"]["name"].AsString(), "demo-0");
    EXPECT_FALSE(pod["spec"]["nodeName"].IsNull()) << kube::Name(pod);
  }
}

TEST(GangAgain, YuniKornsApplicationGoesOn) {
  World::Options options = DefaultWorld();
  options.config.backends = backends::AllBackends();
  World world(std::move(options));
  world.Create(SetOn("yunikorn"));
  ASSERT_TRUE(world.Settle());
  DeleteGangAndClique(world);
  std::set<std::string> applications;
  for (const json::Value& pod : world.List(api::kPods)) {
    applications.emplace(kube::Label(pod, "yunikorn.apache.org/app-id"));
    EXPECT_FALSE(pod["spec"]["nodeName"].IsNull()) << kube::Name(pod);
  }
  EXPECT_EQ(applications.size(), 1u);
}

// Like `kubectl replace --force`: the old set's objects are still being garbage-collected.
TEST(GangAgain, ASetThatIsReplacedRuns) {
  World world(DefaultWorld());
  for (int i = 0; i < 3; ++i) {
    world.Create(SetOn("default-scheduler"));
    world.RunFor(std::chrono::seconds(10));
    if (i == 2) break;
    world.Delete(api::kPodCliqueSets, "demo");
    while (world.Exists(api::kPodCliqueSets, "demo")) world.RunFor(std::chrono::milliseconds(1));
  }
  ASSERT_TRUE(world.Settle());
  ExpectOwnedByTheGang(world, api::kWorkloadsV1Alpha1, "demo-0");
  EXPECT_EQ(world.List(api::kPods).size(), 4u);
  for (const json::Value& pod : world.List(api::kPods)) {
    EXPECT_FALSE(pod["spec"]["nodeName"].IsNull()) << kube::Name(pod);
  }
}

}  // namespace
}  // namespace coppice::operators
