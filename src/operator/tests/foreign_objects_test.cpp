// Objects of others with the names of a set's objects: they are never changed, and never deleted
// with the set.
#include <gmock/gmock.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using ::testing::HasSubstr;

constexpr char kOrderedSet[] =
    "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: web}, spec: {replicas: "
    "1, template: {cliqueStartupType: CliqueStartupTypeInOrder, cliques: [{name: w, spec: "
    "{roleName: "
    "w, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}]}}}";

std::string FailureOfWeb(World& world) {
  return kube::Condition(world.Get(api::kPodCliqueSets, "web"), "ReplicaFailure")["message"]
      .ToString();
}

// Workloads and their ServiceAccounts often share a name.
TEST(ForeignObjects, AServiceAccountIsUsedAndStays) {
  World world(DefaultWorld());
  world.Create("{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, labels: {mine: x}}}");
  const json::Value before = world.Get(api::kServiceAccounts, "web");
  world.Create(kOrderedSet);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(FailureOfWeb(world), "");
  EXPECT_EQ(world.List(api::kPods).size(), 1u);
  EXPECT_EQ(world.Get(api::kServiceAccounts, "web"), before);
  world.Delete(api::kPodCliqueSets, "web");
  ASSERT_TRUE(world.Settle());
  EXPECT_TRUE(world.Exists(api::kServiceAccounts, "web"));
}

TEST(ForeignObjects, AServiceIsLeftAloneAndTheSetSaysSo) {
  World world(DefaultWorld());
  world.Create(
      "{apiVersion: v1, kind: Service, metadata: {name: web-0}, spec: {clusterIP: None, selector: "
      "{app: mine}}}");
  const json::Value before = world.Get(api::kServices, "web-0");
  world.Create(kOrderedSet);
  world.RunFor(std::chrono::seconds(20));
  EXPECT_EQ(world.Get(api::kServices, "web-0"), before);
  EXPECT_THAT(FailureOfWeb(world), HasSubstr("Service web-0 exists and was not made for"));
  world.Delete(api::kServices, "web-0");
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(FailureOfWeb(world), "");
  EXPECT_EQ(kube::ControllerOwner(world.Get(api::kServices, "web-0"))["name"].AsString(), "web");
}

TEST(ForeignObjects, OrphansOfASetAreTakenUpAgain) {
  World world(DefaultWorld());
  world.Create(kOrderedSet);
  ASSERT_TRUE(world.Settle());
  world.MergePatch(api::kServices, "web-0", "{metadata: {ownerReferences: null}}");
  world.MergePatch(api::kPodCliqueSets, "web", "{metadata: {annotations: {look: again}}}");
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(kube::ControllerOwner(world.Get(api::kServices, "web-0"))["name"].AsString(), "web");
}

}  // namespace
}  // namespace coppice::operators
