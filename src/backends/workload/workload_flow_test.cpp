// The default backend on embedded servers of each release that has a gang API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/model/labels.h"
#include "backends/tests/world_testing.h"
#include "backends/workload/api_choice.h"
#include "backends/workload/upgrade.h"
#include "kube/object.h"

namespace coppice::backends::workload {
namespace {

using json::Value;

Value Plain(const std::string& scheduler = "default-scheduler") {
  Value gang = ExampleGang(scheduler);
  gang.Mutable("spec").Erase("topologyConstraint");
  gang.Mutable("spec").Erase("priorityClassName");
  gang.Mutable("spec").Mutable("podgroups").MutableAt(1).Erase("topologyConstraint");
  return gang;
}

struct Flow {
  explicit Flow(const std::string& release)
      : world({.kubernetes_version = release, .config = "{scheduler: {profiles: []}}"}) {}

  Value Gang() { return world.Get(api::kPodGangs, "ai", "llm-0"); }
  std::string Synced() {
    const Value gang = Gang();
    const Value& condition = kube::Condition(gang, "BackendSynced");
    return condition["status"].ToString() + " " + condition["reason"].ToString() + " " +
           condition["message"].ToString();
  }
  void CreatePods() {
    int index = 0;
    for (const std::string name : {"fe-a", "fe-b", "fe-c"}) {
      world.CreatePod("ai", "llm-0", "llm-0-fe", index++, name);
    }
    index = 0;
    for (const std::string name : {"w0-a", "w0-b", "w0-c", "w0-d"}) {
      world.CreatePod("ai", "llm-0", "llm-0-pf-0-wk", index++, name);
    }
    world.Initialize("ai", "llm-0");
    world.Settle();
  }
  base::Status Prepare(const std::string& clique) {
    Value pod = kube::NewObject(api::kPods, "ai", "new");
    pod.Mutable("metadata").Set("labels", Yaml("{grove.io/podgang: llm-0}"));
    pod.Set("spec", Yaml("{containers: [{name: main, image: w}]}"));
    return world.backends->PreparePod(kube::NewObject(api::kPodCliqueSets, "ai", "none"),
                                      kube::NewObject(api::kPodCliques, "ai", clique), 0, pod);
  }
  bool Releases(const std::string& pod) {
    return world.backends->CheckRelease(world.Get(api::kPods, "ai", pod)).release;
  }
  void Release(const std::string& pod) {
    const ReleaseDecision decision = world.backends->CheckRelease(world.Get(api::kPods, "ai", pod));
    ASSERT_TRUE(decision.release) << decision.reason;
    const auto patched =
        world.client->Patch(api::kPods, {"ai", pod}, kube::PatchType::kJson, decision.patch);
    ASSERT_TRUE(patched.ok()) << patched.error().ToString();
  }

  World world;
};

TEST(WorkloadFlow, Release135) {
  Flow flow("1.35");
  flow.world.CreateGang(Plain());
  flow.world.Settle();
  const Value workload = flow.world.Get(Workloads("v1alpha1"), "ai", "llm-0");
  EXPECT_EQ(workload["spec"]["podGroups"].At(0)["policy"]["gang"]["minCount"].AsInt(), 6);
  flow.CreatePods();
  EXPECT_THAT(flow.Synced(), testing::StartsWith("True"));
  const Value pod = flow.world.Get(api::kPods, "ai", "fe-a");
  EXPECT_EQ(pod["spec"]["workloadRef"], Yaml("{name: llm-0, podGroup: gang}"));
  EXPECT_EQ(pod["spec"]["schedulingGates"], Yaml("[{name: scheduling.k8s.io/workload}]"));
}

TEST(WorkloadFlow, SurplusPodsWaitForTheGang) {
  Flow flow("1.36");
  flow.world.CreateGang(Plain());
  flow.world.Settle();
  flow.CreatePods();
  EXPECT_THAT(flow.Synced(), testing::StartsWith("True"));
  EXPECT_FALSE(flow.Releases("fe-c"));
  for (const std::string pod : {"fe-a", "fe-b", "w0-a", "w0-b", "w0-c", "w0-d"}) {
    flow.Release(pod);
    flow.world.BindAndRun("ai", pod, "n1");
  }
  flow.world.Settle();
  EXPECT_TRUE(flow.Releases("fe-c"));
}

// Their PodClique was recreated: the gang still has Scheduled=True, but not for long.
TEST(WorkloadFlow, SurplusPodsDoNotFollowPodsThatAreToBeCollected) {
  Flow flow("1.36");
  flow.world.CreateGang(Plain());
  flow.world.Settle();
  flow.CreatePods();
  const std::vector<std::string> core = {"fe-a", "fe-b", "w0-a", "w0-b", "w0-c", "w0-d"};
  for (const std::string& pod : core) {
    flow.Release(pod);
    flow.world.BindAndRun("ai", pod, "n1");
  }
  flow.world.Settle();
  ASSERT_TRUE(flow.Releases("fe-c"));
  for (const std::string& pod : core) {
    const Value owned = Yaml(
        "{metadata: {ownerReferences: [{apiVersion: grove.io/v1alpha1, kind: PodClique, name: "
        "gone, uid: gone, controller: true}]}}");
    ASSERT_TRUE(flow.world.client->Patch(api::kPods, {"ai", pod}, kube::PatchType::kMerge, owned));
  }
  flow.world.Settle();
  EXPECT_FALSE(flow.Releases("fe-c"));
}

TEST(WorkloadFlow, AReplacedCorePodIsCoreAgain) {
  Flow flow("1.36");
  flow.world.CreateGang(Plain());
  flow.world.Settle();
  flow.CreatePods();
  ASSERT_TRUE(
      flow.world.client->Delete(api::kPods, {"ai", "fe-a"}, {.grace_period_seconds = 0}).ok());
  flow.world.Settle();
  const Value again = flow.world.CreatePod("ai", "llm-0", "llm-0-fe", 0, "fe-a2");
  EXPECT_EQ(again["spec"]["schedulingGroup"]["podGroupName"].AsString(), "llm-0");
}

TEST(WorkloadFlow, Release136WritesTheWorkloadBeforeThePodGroup) {
  Flow flow("1.36");
  flow.world.CreateGang(Plain());
  flow.world.Settle();
  const Value workload = flow.world.Get(Workloads("v1alpha2"), "ai", "llm-0");
  const Value group = flow.world.Get(PodGroups("v1alpha2"), "ai", "llm-0");
  EXPECT_LT(std::stoll(std::string(kube::ResourceVersion(workload))),
            std::stoll(std::string(kube::ResourceVersion(group))));
  EXPECT_EQ(group["spec"]["podGroupTemplateRef"]["workload"]["workloadName"].AsString(), "llm-0");
}

TEST(WorkloadFlow, Release137WritesATreeWhereCompositesAreServed) {
  Flow flow("1.37");
  flow.world.CreateGang(Plain());
  flow.world.Settle();
  flow.CreatePods();
  EXPECT_THAT(flow.Synced(), testing::StartsWith("True"));
  EXPECT_TRUE(flow.world.Exists(Workloads("v1beta1"), "ai", "llm-0"));
  EXPECT_TRUE(flow.world.Exists(CompositePodGroups(), "ai", "llm-0"));
  EXPECT_TRUE(flow.world.Exists(PodGroups("v1beta1"), "ai", "llm-0-fe"));
}

TEST(WorkloadFlow, MinimumIsPatchedOn137) {
  Flow flow("1.37");
  flow.world.CreateGang(Plain());
  flow.world.Settle();
  flow.CreatePods();
  const Value before = flow.world.Get(PodGroups("v1beta1"), "ai", "llm-0-fe");
  Value gang = flow.Gang();
  Value groups = gang["spec"]["podgroups"];
  groups.MutableAt(0).Set("minReplicas", 1);
  flow.world.Patch(api::kPodGangs, "ai", "llm-0",
                   Value::Object({{"spec", Value::Object({{"podgroups", groups}})}}));
  flow.world.Settle();
  const Value after = flow.world.Get(PodGroups("v1beta1"), "ai", "llm-0-fe");
  EXPECT_EQ(kube::Uid(after), kube::Uid(before));
  EXPECT_EQ(after["spec"]["schedulingPolicy"]["gang"]["minCount"].AsInt(), 1);
  EXPECT_THAT(flow.Synced(), testing::StartsWith("True"));
}

TEST(WorkloadFlow, ImmutableChangeIsBlockedByLivePodsAndAppliedAfterARestart) {
  Flow flow("1.36");
  flow.world.CreateGang(Plain());
  flow.world.Settle();
  flow.CreatePods();
  const Value before = flow.world.Get(PodGroups("v1alpha2"), "ai", "llm-0");
  Value groups = flow.Gang()["spec"]["podgroups"];
  groups.MutableAt(0).Set("minReplicas", 1);
  flow.world.Patch(api::kPodGangs, "ai", "llm-0",
                   Value::Object({{"spec", Value::Object({{"podgroups", groups}})}}));
  flow.world.Settle();
  EXPECT_THAT(flow.Synced(), testing::StartsWith("False UpdateBlocked"));
  EXPECT_EQ(kube::Uid(flow.world.Get(PodGroups("v1alpha2"), "ai", "llm-0")), kube::Uid(before));
  EXPECT_TRUE(flow.Releases("w0-a"));  // The old object stays in force.
  // Terminating pods are replaced immediately, unless that is held back.
  for (const Value& pod : flow.world.List(api::kPods)) {
    flow.world.Patch(api::kPods, "ai", std::string(kube::Name(pod)),
                     Yaml("{metadata: {finalizers: [example.com/hold]}}"));
    ASSERT_TRUE(
        flow.world.client->Delete(api::kPods, kube::KeyOf(pod), {.grace_period_seconds = 0}).ok());
  }
  flow.world.Settle();
  EXPECT_TRUE(flow.Prepare("llm-0-fe").Is(base::ErrorCode::kUnavailable));
  for (const Value& pod : flow.world.List(api::kPods)) {
    flow.world.Patch(api::kPods, "ai", std::string(kube::Name(pod)),
                     Yaml("{metadata: {finalizers: null}}"));
  }
  flow.world.RunFor(std::chrono::minutes(1));
  EXPECT_TRUE(flow.Prepare("llm-0-fe").ok());
  const Value after = flow.world.Get(PodGroups("v1alpha2"), "ai", "llm-0");
  EXPECT_NE(kube::Uid(after), kube::Uid(before));
  EXPECT_EQ(after["spec"]["schedulingPolicy"]["gang"]["minCount"].AsInt(), 5);
}

TEST(WorkloadFlow, ReplicasComeAndGoWithTheirWorkloads) {
  Flow flow("1.35");
  flow.world.CreateGang(Plain());
  Value second = Plain();
  second.Mutable("metadata").Set("name", "llm-1");
  second.Mutable("spec").Set("podgroups",
                             Yaml("[{name: llm-1-fe, minReplicas: 3, podReferences: []}]"));
  flow.world.CreateGang(second);
  flow.world.Settle();
  EXPECT_EQ(flow.world.Get(Workloads("v1alpha1"), "ai", "llm-1")["spec"]["podGroups"],
            Yaml("[{name: llm-1-fe, policy: {gang: {minCount: 3}}}]"));
  ASSERT_TRUE(flow.world.client->Delete(api::kPodGangs, {"ai", "llm-1"}, {}).ok());
  flow.world.RunFor(std::chrono::seconds(10));
  EXPECT_TRUE(flow.world.Exists(Workloads("v1alpha1"), "ai", "llm-0"));
  EXPECT_FALSE(flow.world.Exists(Workloads("v1alpha1"), "ai", "llm-1"));
}

TEST(WorkloadFlow, RolesThatGoTakeTheirGroupsAlong) {
  Flow flow("1.37");
  flow.world.CreateGang(Plain());
  flow.world.Settle();
  ASSERT_TRUE(flow.world.Exists(PodGroups("v1beta1"), "ai", "llm-0-pf-0-wk"));
  flow.world.Patch(
      api::kPodGangs, "ai", "llm-0",
      Yaml("{spec: {podgroups: [{name: llm-0-fe, minReplicas: 2, podReferences: []}]}}"));
  flow.world.RunFor(std::chrono::seconds(10));
  EXPECT_TRUE(flow.world.Exists(PodGroups("v1beta1"), "ai", "llm-0-fe"));
  EXPECT_FALSE(flow.world.Exists(PodGroups("v1beta1"), "ai", "llm-0-pf-0-wk"));
  EXPECT_FALSE(flow.world.Exists(CompositePodGroups(), "ai", "llm-0"));
}

TEST(WorkloadFlow, UpgradeHelperFindsAndDeletesOurObjects) {
  Flow flow("1.36");
  flow.world.CreateGang(Plain());
  flow.world.Settle();
  EXPECT_EQ(ObjectsOfVersion(*flow.world.client, "v1alpha2")->size(), 2u);
  flow.world.manager->Stop();
  EXPECT_EQ(*DeleteObjectsOfVersion(*flow.world.client, "v1alpha2"), 2);
  flow.world.stepper.RunUntilIdle();  // The group's finalizer is removed.
  EXPECT_TRUE(ObjectsOfVersion(*flow.world.client, "v1alpha2")->empty());
  flow.world.Start();
  flow.world.Settle();
  EXPECT_EQ(ObjectsOfVersion(*flow.world.client, "v1alpha2")->size(), 2u) << "made anew";
}

TEST(WorkloadFlow, KillingTheBackendLosesNothing) {
  Flow flow("1.35");
  flow.world.manager->Stop();
  flow.world.CreateGang(Plain());
  flow.world.RunFor(std::chrono::minutes(1));
  EXPECT_FALSE(flow.world.Exists(Workloads("v1alpha1"), "ai", "llm-0"));
  const auto client = flow.world.server->NewClient(flow.world.stepper);
  auto manager = kube::Manager::Make(*client, flow.world.stepper);
  auto backends = MakeBackends(*manager, flow.world.backends->current()->config());
  ASSERT_TRUE(backends.ok());
  ASSERT_TRUE(AddToManager(*manager, **backends, {.only = {"default"}}).ok());
  manager->Start();
  flow.world.RunFor(std::chrono::seconds(2));
  EXPECT_TRUE(flow.world.Exists(Workloads("v1alpha1"), "ai", "llm-0"));
  manager->Stop();
  flow.world.stepper.RunUntilIdle();
}

}  // namespace
}  // namespace coppice::backends::workload
