// Whole flows over the embedded server with the schedulers' real CRDs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/model/labels.h"
#include "backends/tests/example_testing.h"
#include "backends/tests/world_testing.h"
#include "json/write.h"
#include "kube/metrics.h"
#include "kube/object.h"
#include "tests/crds/crds.h"

namespace coppice::backends {
namespace {

using json::Value;

TEST(Flow, KaiFromGangToReady) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  Example example(world, "kai-scheduler");
  EXPECT_EQ(kube::Annotation(example.Gang(), "kai.scheduler/skip-podgrouper"), "true");
  const std::vector<Value> groups = world.List(api::kPodGroups);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0]["spec"]["queue"].AsString(), "team-a");
  example.CreatePods();
  EXPECT_EQ(example.Condition("BackendSynced")["status"].AsString(), "True");
  EXPECT_EQ(example.Condition("Scheduled")["reason"].AsString(), "WaitingForScheduler");
  const Value pod = world.Get(api::kPods, "ai", "w0-a");
  EXPECT_EQ(kube::Annotation(pod, "pod-group-name"), kube::Name(groups[0]));
  EXPECT_EQ(pod["spec"]["schedulingGates"], Yaml("[{name: grove.io/podgang}]"));
  EXPECT_EQ(example.Release(), 7);
  example.BindAll();
  EXPECT_EQ(example.Condition("Scheduled")["status"].AsString(), "True");
  EXPECT_EQ(example.Condition("Ready")["status"].AsString(), "True");
  EXPECT_EQ(example.Gang()["status"]["phase"].AsString(), "Running");
  EXPECT_EQ(example.Gang()["status"]["placementScore"].AsDouble(), 1.0);
  EXPECT_EQ(kube::Condition(example.Gang(), "Initialized")["status"].AsString(), "True");
}

TEST(Flow, DeletingTheSetRemovesEverything) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  Example example(world, "kai-scheduler");
  ASSERT_EQ(world.List(api::kPodGroups).size(), 1u);
  ASSERT_TRUE(world.client->Delete(api::kPodCliqueSets, {"ai", "llm"}, {}).ok());
  world.RunFor(std::chrono::seconds(30));
  EXPECT_TRUE(world.List(api::kPodGangs).empty());
  EXPECT_TRUE(world.List(api::kPodGroups).empty());
}

TEST(Flow, SteadyStateWritesNothing) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  Example example(world, "kai-scheduler");
  example.CreatePods();
  example.Release();
  example.BindAll();
  const int64_t before = world.writes();
  for (int i = 0; i < 100; ++i) {
    world.manager->Enqueue("backend-kai", {"ai", "llm-0"});
    world.stepper.RunUntilIdle();
  }
  world.RunFor(std::chrono::minutes(30));
  EXPECT_EQ(world.writes(), before);
}

TEST(Flow, KaiOwnedFieldsAreLeftAlone) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  Example example(world, "kai-scheduler");
  const std::string name(kube::Name(world.List(api::kPodGroups).at(0)));
  world.Patch(api::kPodGroups, "ai", name,
              Yaml("{metadata: {labels: {kai.scheduler/node-pool: p1}}, spec: {queue: moved, "
                   "markUnschedulable: true, schedulingBackoff: 3}}"));
  world.Patch(api::kPodGangs, "ai", "llm-0", Yaml("{spec: {priorityClassName: other}}"));
  world.Settle();
  const Value group = world.Get(api::kPodGroups, "ai", name);
  EXPECT_EQ(group["spec"]["priorityClassName"].AsString(), "other");
  EXPECT_EQ(group["spec"]["queue"].AsString(), "moved");
  EXPECT_TRUE(group["spec"]["markUnschedulable"].AsBool());
  EXPECT_EQ(group["spec"]["schedulingBackoff"].AsInt(), 3);
  EXPECT_EQ(kube::Label(group, "kai.scheduler/node-pool"), "p1");
}

TEST(Flow, ObjectsOfAnotherNamingSchemeAreAdopted) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  world.manager->Stop();  // Something else created the PodGroup first.
  Value gang = world.CreateGang(ExampleGang("kai-scheduler"));
  Value group = Yaml(
      "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: "
      "llm-0, namespace: ai}, spec: {minMember: 1, queue: q}}");
  group.Mutable("metadata")
      .Set("ownerReferences", Value::Array({kube::MakeControllerReference(gang)}));
  world.Create(group);
  const auto client = world.server->NewClient(world.stepper);
  auto manager = kube::Manager::Make(*client, world.stepper);
  auto backends = MakeBackends(*manager, world.backends->current()->config());
  ASSERT_TRUE(backends.ok());
  ASSERT_TRUE(AddToManager(*manager, **backends).ok());
  manager->Start();
  world.RunFor(std::chrono::seconds(2));
  EXPECT_EQ(world.List(api::kPodGroups).size(), 1u);
  EXPECT_EQ(world.Get(api::kPodGroups, "ai", "llm-0")["spec"]["minMember"].AsInt(), 6);
  manager->Stop();
  world.stepper.RunUntilIdle();
}

TEST(Flow, ForeignObjectOfTheSameNameIsNotTouched) {
  World world(
      {.projects = {"grove", "volcano"}, .config = "{scheduler: {profiles: [{name: volcano}]}}"});
  const api::Resource groups{"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true};
  OpenQueue(world, "default");
  world.Create(
      Yaml("{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: "
           "llm-0, namespace: ai}, spec: {minMember: 99}}"));
  Value gang = ExampleGang("volcano");
  gang.Mutable("spec").Erase("topologyConstraint");
  gang.Mutable("spec").Mutable("podgroups").MutableAt(1).Erase("topologyConstraint");
  gang = world.CreateGang(gang);
  world.Settle();
  EXPECT_EQ(world.Get(groups, "ai", "llm-0")["spec"]["minMember"].AsInt(), 99);
  const std::string second = "llm-0-" + std::string(kube::Uid(gang)).substr(0, 8);
  EXPECT_TRUE(world.Exists(groups, "ai", second));
}

TEST(Flow, StatusOfTheSchedulerSurvivesResyncs) {
  World world(
      {.projects = {"grove", "volcano"}, .config = "{scheduler: {profiles: [{name: volcano}]}}"});
  const api::Resource groups{"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true};
  OpenQueue(world, "default");
  Value gang = ExampleGang("volcano");
  gang.Mutable("spec").Erase("topologyConstraint");
  gang.Mutable("spec").Mutable("podgroups").MutableAt(1).Erase("topologyConstraint");
  world.CreateGang(gang);
  world.Settle();
  world.Patch(groups, "ai", "llm-0", Yaml("{status: {phase: Inqueue, running: 2}}"));
  for (int i = 0; i < 100; ++i) {
    world.Patch(
        api::kPodGangs, "ai", "llm-0",
        Value::Object(
            {{"spec", Value::Object({{"priorityClassName", "class-" + std::to_string(i)}})}}));
    world.stepper.RunUntilIdle();
  }
  world.Settle();
  const Value group = world.Get(groups, "ai", "llm-0");
  EXPECT_EQ(group["spec"]["priorityClassName"].AsString(), "class-99");
  EXPECT_EQ(group["status"], Yaml("{phase: Inqueue, running: 2}"));
}

TEST(Flow, BackendsComeAndGoAtRunTime) {
  World world({.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: []}}"});
  world.CreateGang(ExampleGang("kai-scheduler"));
  world.Create(ExampleBinding());
  world.Settle();
  EXPECT_TRUE(world.List(api::kPodGroups).empty());
  ASSERT_TRUE(
      world.backends
          ->Reconfigure(*ParseConfig(Yaml("{scheduler: {profiles: [{name: kai-scheduler}]}}")))
          .ok());
  world.Settle();
  EXPECT_EQ(world.List(api::kPodGroups).size(), 1u);
  ASSERT_TRUE(world.backends
                  ->Reconfigure(*ParseConfig(
                      Yaml("{scheduler: {profiles: [{name: kai-scheduler, enabled: false}]}}")))
                  .ok());
  world.Patch(api::kPodGangs, "ai", "llm-0", Yaml("{spec: {priorityClassName: other}}"));
  world.Settle();
  EXPECT_TRUE(world.Exists(api::kPodGangs, "ai", "llm-0"));
  EXPECT_EQ(world.List(api::kPodGroups).at(0)["spec"]["priorityClassName"].AsString(), "gang-high");
}

TEST(Flow, MissingCrdIsUnavailableUntilItIsInstalled) {
  World world(
      {.projects = {"grove"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  world.Create(ExampleBinding());
  world.CreateGang(ExampleGang("kai-scheduler"));
  world.Settle();
  const Value before = world.Get(api::kPodGangs, "ai", "llm-0");
  EXPECT_EQ(kube::Condition(before, "BackendSynced")["reason"].AsString(), "BackendUnavailable");
  for (const Value& crd : test_crds::Of("kai")) ASSERT_TRUE(world.server->InstallCrd(crd).ok());
  world.RunFor(std::chrono::minutes(1));
  EXPECT_EQ(world.List(api::kPodGroups).size(), 1u);
}

TEST(Flow, OneEventPerTransition) {
  World world(
      {.projects = {"grove"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  world.CreateGang(ExampleGang("kai-scheduler"));
  world.RunFor(std::chrono::minutes(10));
  int64_t events = 0;
  for (const Value& event : world.List(api::kEvents)) {
    if (event["reason"].AsString() == "BackendUnavailable") events += event["count"].AsInt(1);
  }
  EXPECT_EQ(events, 1);
}

TEST(Flow, SelectionsAreCountedAndCached) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  Value set = ExampleSet("kai-scheduler");
  set.Mutable("metadata").Set("uid", "u1");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(world.backends->Select(set).ok());
  const std::string text = world.manager->runtime().metrics.Text();
  EXPECT_THAT(text, testing::HasSubstr("coppice_backend_selections_total{backend=\"kai\"} 1"));
  EXPECT_THAT(text,
              testing::HasSubstr("coppice_backend_selection_lookups_total{result=\"hit\"} 2"));
}

TEST(Flow, NamesThatAreBothTakenAreAConflict) {
  World world(
      {.projects = {"grove", "volcano"}, .config = "{scheduler: {profiles: [{name: volcano}]}}"});
  const api::Resource groups{"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true};
  OpenQueue(world, "default");
  world.manager->Stop();
  Value gang = ExampleGang("volcano");
  gang.Mutable("spec").Erase("topologyConstraint");
  gang.Mutable("spec").Mutable("podgroups").MutableAt(1).Erase("topologyConstraint");
  gang = world.CreateGang(gang);
  for (const std::string& name :
       {std::string("llm-0"), "llm-0-" + std::string(kube::Uid(gang)).substr(0, 8)}) {
    world.Create(
        Yaml("{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: "
             "{namespace: ai, name: " +
             name + "}, spec: {minMember: 99}}"));
  }
  const auto client = world.server->NewClient(world.stepper);
  auto manager = kube::Manager::Make(*client, world.stepper);
  auto backends = MakeBackends(*manager, world.backends->current()->config());
  ASSERT_TRUE(backends.ok());
  ASSERT_TRUE(AddToManager(*manager, **backends).ok());
  manager->Start();
  world.RunFor(std::chrono::seconds(2));
  const Value synced = kube::Condition(world.Get(api::kPodGangs, "ai", "llm-0"), "BackendSynced");
  EXPECT_EQ(synced["status"].AsString(), "False");
  EXPECT_EQ(synced["reason"].AsString(), "NameConflict");
  for (const Value& group : world.List(groups)) {
    EXPECT_EQ(group["spec"]["minMember"].AsInt(), 99);
  }
  manager->Stop();
  world.stepper.RunUntilIdle();
}

// A refusal is reported with upstream's event; we do not write the gang's status there.
TEST(Flow, UnderGrovesProfileARefusalIsUpstreamsEvent) {
  World world({.projects = {"grove", "kai"},
               .config = "{compatibility: grove, scheduler: {profiles: [{name: kai-scheduler}]}}"});
  Value gang = ExampleGang("kai-scheduler");
  gang.Mutable("metadata").Erase("annotations");  // A constraint without a topology name.
  world.CreateGang(gang);
  world.Settle();
  EXPECT_TRUE(world.List(api::kPodGroups).empty());
  std::vector<std::string> reasons;
  for (const Value& event : world.List(api::kEvents)) {
    if (event["type"].AsString() == "Warning") reasons.push_back(event["reason"].ToString());
  }
  EXPECT_THAT(reasons, testing::Each("KAIBackendMappingFailed"));
  EXPECT_FALSE(reasons.empty());
  EXPECT_TRUE(kube::Condition(world.Get(api::kPodGangs, "ai", "llm-0"), "BackendSynced").IsNull());
}

// Every PodGroup of a gang lists all of them, so adding or removing a role changes all.
TEST(Flow, KoordinatorsGangGroupsAreReplacedTogether) {
  World world({.projects = {"grove", "koordinator"},
               .config = "{scheduler: {profiles: [{name: koord-scheduler}]}}"});
  const api::Resource groups{"scheduling.sigs.k8s.io", "v1alpha1", "podgroups", "PodGroup", true};
  Value gang = ExampleGang("koord-scheduler");
  gang.Mutable("spec").Erase("topologyConstraint");
  gang.Mutable("spec").Mutable("podgroups").MutableAt(1).Erase("topologyConstraint");
  for (Value& group : gang.Mutable("spec").Mutable("podgroups").MutableItems()) {
    group.Set("podReferences", Value::Array());
  }
  world.CreateGang(gang);
  world.Settle();
  const Value before = world.Get(groups, "ai", "llm-0-fe");
  Value roles = gang["spec"]["podgroups"];
  roles.Append(Yaml("{name: llm-0-new, minReplicas: 1, podReferences: []}"));
  world.Patch(api::kPodGangs, "ai", "llm-0",
              Value::Object({{"spec", Value::Object({{"podgroups", roles}})}}));
  world.Settle();
  EXPECT_NE(kube::Uid(world.Get(groups, "ai", "llm-0-fe")), kube::Uid(before));
  for (const char* name : {"llm-0-fe", "llm-0-pf-0-wk", "llm-0-new"}) {
    EXPECT_EQ(
        kube::Annotation(world.Get(groups, "ai", name), "gang.scheduling.koordinator.sh/groups"),
        R"(["ai/llm-0-fe","ai/llm-0-pf-0-wk","ai/llm-0-new"])")
        << name;
  }
}

TEST(Flow, MovingAGangToAnotherBackendRemovesTheOldObjects) {
  World world({.projects = {"grove", "kai"},
               .config = "{scheduler: {profiles: [{name: kai-scheduler}, {name: "
                         "grove-scheduler}]}}"});
  world.Create(ExampleBinding());
  world.CreateGang(ExampleGang("kai-scheduler"));
  world.Settle();
  ASSERT_EQ(world.List(api::kPodGroups).size(), 1u);
  world.Patch(api::kPodGangs, "ai", "llm-0",
              Yaml("{metadata: {labels: {grove.io/scheduler-name: grove-scheduler}}}"));
  world.Settle();
  EXPECT_TRUE(world.List(api::kPodGroups).empty());
}

}  // namespace
}  // namespace coppice::backends
