// What happens to the schedulers' objects when gangs change, or when someone changes, takes over or
// deletes the objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/model/labels.h"
#include "backends/tests/example_testing.h"
#include "backends/tests/world_testing.h"
#include "backends/workload/api_choice.h"
#include "json/patch/patch.h"
#include "kube/object.h"
#include "tests/crds/crds.h"

namespace coppice::backends {
namespace {

using json::Value;

const char kKai[] = "{scheduler: {profiles: [{name: kai-scheduler}]}}";

// Without topology constraints, which not every scheduler supports.
const char kPlain[] = R"(
spec:
  topologyConstraint: null
  priorityClassName: null
  podgroups:
  - {name: llm-0-fe, minReplicas: 2, podReferences: [{namespace: ai, name: fe-a}, {namespace: ai, name: fe-b}]}
  - {name: llm-0-pf-0-wk, minReplicas: 1, podReferences: [{namespace: ai, name: w0-a}]}
)";

TEST(ScalingAGang, BeyondItsMinimumOn135NeedsNoOtherWorkload) {
  World world({.config = "{scheduler: {profiles: []}}"});
  const Value gang = json::ApplyMergePatch(ExampleGang("default-scheduler"), Yaml(kPlain));
  world.CreateGang(gang);
  world.Settle();
  world.CreatePod("ai", "llm-0", "llm-0-fe", 0, "fe-a");
  world.CreatePod("ai", "llm-0", "llm-0-fe", 1, "fe-b");
  world.CreatePod("ai", "llm-0", "llm-0-pf-0-wk", 0, "w0-a");
  world.Initialize("ai", "llm-0");
  world.Settle();
  Value groups = gang["spec"]["podgroups"];
  groups.MutableAt(0).Mutable("podReferences").Append(Yaml("{namespace: ai, name: fe-c}"));
  world.Patch(api::kPodGangs, "ai", "llm-0",
              Value::Object({{"spec", Value::Object({{"podgroups", groups}})}}));
  world.Settle();
  const Value added = world.CreatePod("ai", "llm-0", "llm-0-fe", 2, "fe-c");
  world.Settle();
  const Value stored = world.Get(api::kPodGangs, "ai", "llm-0");
  EXPECT_EQ(kube::Condition(stored, "BackendSynced")["reason"].AsString(), "Synced");
  const std::string entry = added["spec"]["workloadRef"]["podGroup"].ToString();
  const Value workload = world.Get(workload::Workloads("v1alpha1"), "ai", "llm-0");
  std::vector<std::string> entries;
  for (const Value& group : workload["spec"]["podGroups"].Items()) {
    entries.push_back(group["name"].ToString());
  }
  EXPECT_THAT(entries, testing::Contains(entry)) << "the scheduler holds a pod of no known group";
}

TEST(Wishes, ThatAreTakenBackLeaveTheObject) {
  for (const std::string compatibility : {"", "compatibility: grove, "}) {
    World world(
        {.projects = {"grove", "kai"},
         .config = "{" + compatibility + "scheduler: {profiles: [{name: kai-scheduler}]}}"});
    Example example(world, "kai-scheduler");
    ASSERT_EQ(world.List(api::kPodGroups).size(), 1u);
    ASSERT_TRUE(world.List(api::kPodGroups)[0]["spec"].Has("topologyConstraint"));
    world.Patch(api::kPodGangs, "ai", "llm-0",
                Yaml("{spec: {priorityClassName: null, topologyConstraint: null}}"));
    world.Settle();
    const Value group = world.List(api::kPodGroups)[0];
    EXPECT_FALSE(group["spec"].Has("topologyConstraint")) << compatibility;
    EXPECT_FALSE(group["spec"].Has("priorityClassName")) << compatibility;
    const int64_t before = world.writes();
    world.manager->Enqueue("backend-kai", {"ai", "llm-0"});
    world.Settle();
    EXPECT_EQ(world.writes(), before) << compatibility;
  }
}

TEST(AnObjectOfOurs, IsMadeAgainWhereSomebodyDeletesIt) {
  World world({.projects = {"grove", "kai"}, .config = kKai});
  Example example(world, "kai-scheduler");
  example.CreatePods();
  const Value before = world.List(api::kPodGroups).at(0);
  ASSERT_TRUE(world.client->Delete(api::kPodGroups, kube::KeyOf(before), {}).ok());
  world.Settle();
  const Value after = world.Get(api::kPodGroups, "ai", std::string(kube::Name(before)));
  EXPECT_NE(kube::Uid(after), kube::Uid(before));
  EXPECT_EQ(after["spec"], before["spec"]);
}

TEST(AnObjectOfOurs, IsPutRightWhereSomebodyEditsIt) {
  World world({.projects = {"grove", "kai"}, .config = kKai});
  Example example(world, "kai-scheduler");
  const std::string name(kube::Name(world.List(api::kPodGroups).at(0)));
  world.Patch(api::kPodGroups, "ai", name,
              Yaml("{metadata: {labels: {grove.io/podgang: other}, annotations: {"
                   "grove.io/applied-hash: null}}, spec: {minMember: 1, subGroups: null}}"));
  world.Settle();
  const Value group = world.Get(api::kPodGroups, "ai", name);
  EXPECT_EQ(group["spec"]["minMember"].AsInt(), 6);
  EXPECT_EQ(group["spec"]["subGroups"].size(), 2u);
  EXPECT_EQ(kube::Label(group, labels::kPodGang), "llm-0");
}

// As after a gang was deleted with orphaned objects, and recreated.
TEST(AnObjectOfOurs, ThatLostItsOwnerIsTakenBack) {
  World world({.config = "{scheduler: {profiles: []}}"});
  Example example(world, "default-scheduler", Yaml(kPlain));
  const api::Resource workloads = workload::Workloads("v1alpha1");
  example.CreatePods();
  ASSERT_TRUE(world.Exists(workloads, "ai", "llm-0"));
  world.Patch(workloads, "ai", "llm-0", Yaml("{metadata: {ownerReferences: null}}"));
  world.Settle();
  EXPECT_EQ(example.Synced(), "True Synced");
  EXPECT_EQ(world.List(workloads).size(), 1u);
  EXPECT_TRUE(kube::IsOwnedBy(world.Get(workloads, "ai", "llm-0"), kube::Uid(example.Gang())));
}

// A pod's reference to its group is permanent.
TEST(AnObjectOfOurs, KeepsTheNameThatPodsKnowItBy) {
  World world({.projects = {"grove", "kai"}, .config = kKai});
  world.manager->Stop();  // Upstream's operator created the PodGroup.
  const Value gang = world.CreateGang(ExampleGang("kai-scheduler"));
  world.Create(ExampleBinding());
  Value group = Yaml(
      "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: "
      "llm-0, namespace: ai}, spec: {minMember: 1, queue: q}}");
  group.Mutable("metadata")
      .Set("ownerReferences", Value::Array({kube::MakeControllerReference(gang)}));
  world.Create(group);
  world.Start();
  const Value pod = world.CreatePod("ai", "llm-0", "llm-0-fe", 0, "fe-a");
  ASSERT_EQ(kube::Annotation(pod, "pod-group-name"), "llm-0");
  world.Settle();
  ASSERT_TRUE(world.client->Delete(api::kPodGroups, {"ai", "llm-0"}, {}).ok());
  world.Settle();
  ASSERT_EQ(world.List(api::kPodGroups).size(), 1u);
  EXPECT_EQ(kube::Name(world.List(api::kPodGroups)[0]), "llm-0");
}

TEST(ATopology, ThatIsBoundToAnotherOfTheSchedulersReachesGangs) {
  World world({.projects = {"grove", "kai"}, .config = kKai});
  Example example(world, "kai-scheduler");
  const auto topology = [&] {
    return world.List(api::kPodGroups).at(0)["spec"]["topologyConstraint"]["topology"].ToString();
  };
  ASSERT_EQ(topology(), "dc1");
  world.Patch(api::kClusterTopologyBindings, "", "dc1",
              Yaml("{spec: {schedulerTopologyBindings: [{schedulerName: kai-scheduler, "
                   "topologyReference: theirs}]}}"));
  world.Settle();
  EXPECT_EQ(topology(), "theirs");
}

// What an administrator does with a gang that looks stuck: deletes it, and the operator recreates
// it while its pods run.
Value MakeAgain(World& world, const Value& gang) {
  EXPECT_TRUE(world.client->Delete(api::kPodGangs, kube::KeyOf(gang), {}).ok());
  Value again = gang;
  for (const char* field : {"uid", "resourceVersion", "creationTimestamp", "generation"}) {
    again.Mutable("metadata").Erase(field);
  }
  again = world.CreateGang(again);
  world.Initialize("ai", "llm-0");
  world.RunFor(std::chrono::seconds(20));
  return again;
}

struct Reference {
  std::string scheduler;
  World::Options options;
  api::Resource kind;
  std::function<std::string(const Value& pod)> of;
};

std::vector<Reference> References() {
  const auto annotation = [](const std::string& key) {
    return [key](const Value& pod) { return std::string(kube::Annotation(pod, key)); };
  };
  const std::string plain = "{scheduler: {profiles: []}}";
  return {
      {"kai-scheduler",
       {.projects = {"grove", "kai"}, .config = kKai},
       api::kPodGroups,
       annotation("pod-group-name")},
      {"volcano",
       {.projects = {"grove", "volcano"}, .config = "{scheduler: {profiles: [{name: volcano}]}}"},
       {"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true},
       annotation("scheduling.k8s.io/group-name")},
      {"default-scheduler",
       {.config = plain},
       workload::Workloads("v1alpha1"),
       [](const Value& pod) { return pod["spec"]["workloadRef"]["name"].ToString(); }},
      {"default-scheduler",
       {.kubernetes_version = "1.36", .config = plain},
       workload::PodGroups("v1alpha2"),
       [](const Value& pod) { return pod["spec"]["schedulingGroup"]["podGroupName"].ToString(); }}};
}

// A pod that joins later would otherwise wait for the others in a group of its own.
TEST(AGangThatIsMadeAgain, GoesOnWithTheObjectThatItsPodsName) {
  for (const Reference& reference : References()) {
    World world(reference.options);
    if (reference.scheduler == "volcano") OpenQueue(world, "team-a");
    Example example(world, reference.scheduler, Yaml(kPlain));
    example.CreatePods();
    const std::string before = reference.of(world.Get(api::kPods, "ai", "fe-a"));
    ASSERT_TRUE(world.Exists(reference.kind, "ai", before)) << reference.kind.ApiVersion();
    const Value again = MakeAgain(world, example.Gang());
    ASSERT_TRUE(world.client->Delete(api::kPods, {"ai", "fe-b"}, {.grace_period_seconds = 0}).ok());
    world.Settle();
    const Value pod = world.CreatePod("ai", "llm-0", "llm-0-fe", 1, "fe-b2");
    EXPECT_EQ(reference.of(pod), before) << reference.kind.ApiVersion();
    EXPECT_TRUE(world.Exists(reference.kind, "ai", before)) << reference.kind.ApiVersion();
    EXPECT_EQ(world.List(reference.kind).size(), 1u) << reference.kind.ApiVersion();
  }
}

// Kubernetes keeps a PodGroup while pods name it; the new one is created when they are gone.
TEST(AGangThatIsMadeAgain, ReplacesAProtectedGroupWithItsPods) {
  World world({.kubernetes_version = "1.36", .config = "{scheduler: {profiles: []}}"});
  Example example(world, "default-scheduler", Yaml(kPlain));
  example.CreatePods();
  const Value again = MakeAgain(world, example.Gang());
  EXPECT_THAT(example.Synced(), testing::StartsWith("False UpdateBlocked"));
  EXPECT_GT(example.Release(), 0) << "the old group is in force";
  for (const Value& pod : world.List(api::kPods)) {
    ASSERT_TRUE(
        world.client->Delete(api::kPods, kube::KeyOf(pod), {.grace_period_seconds = 0}).ok());
  }
  world.RunFor(std::chrono::minutes(1));
  EXPECT_EQ(example.Synced(), "True Synced");
  const Value group = world.Get(workload::PodGroups("v1alpha2"), "ai", "llm-0");
  EXPECT_TRUE(kube::IsOwnedBy(group, kube::Uid(again)));
}

TEST(ADefinition, ThatGoesAndComesBackFindsItsGangs) {
  World world({.projects = {"grove", "kai"}, .config = kKai});
  Example example(world, "kai-scheduler");
  example.CreatePods();
  ASSERT_EQ(example.Synced(), "True Synced");
  ASSERT_TRUE(
      world.client
          ->Delete(api::kCustomResourceDefinitions, {"", api::kPodGroups.QualifiedName()}, {})
          .ok());
  world.RunFor(std::chrono::seconds(5));
  EXPECT_THAT(example.Synced(), testing::StartsWith("False BackendUnavailable"));
  for (const Value& crd : test_crds::Of("kai")) {
    if (kube::Name(crd) == api::kPodGroups.QualifiedName()) {
      ASSERT_TRUE(world.server->InstallCrd(crd).ok());
    }
  }
  world.RunFor(std::chrono::seconds(60));
  EXPECT_EQ(example.Synced(), "True Synced");
  EXPECT_EQ(world.List(api::kPodGroups).size(), 1u);
}

}  // namespace
}  // namespace coppice::backends
