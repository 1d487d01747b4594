// Every backend with the real CRDs of its scheduler: objects are accepted, status belongs to the
// scheduler, and a second reconcile writes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/gangs/rbac.h"
#include "backends/model/labels.h"
#include "backends/tests/world_testing.h"
#include "kube/metrics.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

struct Case {
  std::string backend;
  std::string scheduler;
  std::vector<std::string> projects;
  size_t objects;
  api::Resource kind;
  std::string gate = "grove.io/podgang";
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> kCases = {
      {"kai", "kai-scheduler", {"grove", "kai"}, 1, api::kPodGroups},
      {"koordinator",
       "koord-scheduler",
       {"grove", "koordinator"},
       2,
       {"scheduling.sigs.k8s.io", "v1alpha1", "podgroups", "PodGroup", true},
       "scheduling.koordinator.sh/gang"},
      {"volcano",
       "volcano",
       {"grove", "volcano"},
       1,
       {"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true}},
      {"scheduler-plugins",
       "scheduler-plugins-scheduler",
       {"grove", "scheduler-plugins"},
       1,
       {"scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup", true}},
      {"yunikorn", "yunikorn", {"grove"}, 0, {}},
      {"podgang", "grove-scheduler", {"grove"}, 0, {}},
      {"default",
       "default-scheduler",
       {"grove"},
       1,
       {"scheduling.k8s.io", "v1alpha1", "workloads", "Workload", true},
       "scheduling.k8s.io/workload"}};
  return kCases;
}

class WithRealCrds : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    world_ = std::make_unique<World>(
        World::Options{.projects = GetParam().projects,
                       .config = "{scheduler: {profiles: [{name: " + GetParam().scheduler +
                                 ", config: {topology: {requiredGang: PodAffinity}}}]}}"});
    world_->Create(ExampleBinding());
    if (GetParam().backend == "volcano") {
      world_->Create(
          Yaml("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: "
               "{name: team-a}}"));
      world_->SetStatus({"scheduling.volcano.sh", "v1beta1", "queues", "Queue", false}, "",
                        "team-a", Yaml("{state: Open}"));
    }
    const Value set = world_->Create(ExampleSet(GetParam().scheduler));
    world_->Settle();
    Value gang = ExampleGang(GetParam().scheduler);
    gang.Mutable("metadata")
        .Set("ownerReferences", Value::Array({kube::MakeControllerReference(set)}));
    gang_ = world_->CreateGang(gang);
    world_->Settle();
  }

  std::unique_ptr<World> world_;
  Value gang_;
};

TEST_P(WithRealCrds, GangIsHandedOver) {
  world_->Initialize("ai", "llm-0");
  world_->Settle();
  const Value gang = world_->Get(api::kPodGangs, "ai", "llm-0");
  const Value& synced = kube::Condition(gang, "BackendSynced");
  EXPECT_EQ(synced["status"].AsString(), "True") << synced["message"].AsString();
  if (GetParam().objects == 0) return;
  const std::vector<Value> objects = world_->List(GetParam().kind);
  ASSERT_EQ(objects.size(), GetParam().objects);
  for (const Value& object : objects) {
    EXPECT_TRUE(kube::IsOwnedBy(object, kube::Uid(gang_)));
    EXPECT_EQ(kube::Label(object, labels::kPodGang), "llm-0");
    EXPECT_FALSE(kube::Label(object, labels::kManagedBy).empty());
    EXPECT_FALSE(kube::Annotation(object, labels::kSourceGeneration).empty());
  }
}

TEST_P(WithRealCrds, PodsAreAcceptedGatedAndReleased) {
  const Value pod = world_->CreatePod("ai", "llm-0", "llm-0-fe", 0, "fe-a");
  world_->Initialize("ai", "llm-0");
  world_->Settle();
  EXPECT_EQ(pod["spec"]["schedulerName"].AsString(), GetParam().scheduler);
  EXPECT_EQ(pod["spec"]["priorityClassName"].AsString(), "gang-high");
  EXPECT_EQ(pod["spec"]["schedulingGates"],
            Value::Array({Value::Object({{"name", GetParam().gate}})}));
  const ReleaseDecision decision =
      world_->backends->CheckRelease(world_->Get(api::kPods, "ai", "fe-a"));
  EXPECT_TRUE(decision.release) << decision.reason;
  const auto patched =
      world_->client->Patch(api::kPods, {"ai", "fe-a"}, kube::PatchType::kJson, decision.patch);
  ASSERT_TRUE(patched.ok()) << patched.error().ToString();
  EXPECT_TRUE((*patched)["spec"]["schedulingGates"].empty());
}

TEST_P(WithRealCrds, GangsSayWhoseTheyAre) {
  const auto selection = world_->backends->SelectForGang(gang_);
  ASSERT_TRUE(selection.ok()) << selection.error().ToString();
  EXPECT_EQ(selection->backend->name(), GetParam().backend);
  const Value labels = world_->backends->GangLabels(*selection);
  EXPECT_EQ(labels["grove.io/scheduler-backend"].AsString(), GetParam().backend);
  EXPECT_EQ(labels["grove.io/scheduler-name"].AsString(), GetParam().scheduler);
}

TEST_P(WithRealCrds, ASyncIsMeasured) {
  const std::string text = world_->manager->runtime().metrics.Text();
  EXPECT_THAT(text, testing::HasSubstr("coppice_backend_sync_seconds_count{backend=\"" +
                                       GetParam().backend + "\"}"));
}

TEST_P(WithRealCrds, ForeignGatesLabelsAndFinalizersStay) {
  world_->CreatePod("ai", "llm-0", "llm-0-fe", 0, "fe-a");
  world_->Initialize("ai", "llm-0");
  Value other = world_->Get(api::kPods, "ai", "fe-a");
  for (const char* field : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
    other.Mutable("metadata").Erase(field);
  }
  // The same pod, with metadata of others.
  other.Mutable("metadata").Set("name", "fe-b");
  other.Mutable("metadata").Mutable("labels").Set("example.com/theirs", "kept");
  other.Mutable("metadata").Set("finalizers", Yaml("[example.com/hold]"));
  other.Mutable("spec").Mutable("schedulingGates").Append(Yaml("{name: example.com/wait}"));
  other.Erase("status");
  world_->Create(other);
  world_->Settle();
  const Value stored = world_->Get(api::kPods, "ai", "fe-b");
  const ReleaseDecision decision = world_->backends->CheckRelease(stored);
  ASSERT_TRUE(decision.release) << decision.reason;
  const auto patched =
      world_->client->Patch(api::kPods, {"ai", "fe-b"}, kube::PatchType::kJson, decision.patch);
  ASSERT_TRUE(patched.ok()) << patched.error().ToString();
  EXPECT_EQ((*patched)["spec"]["schedulingGates"], Yaml("[{name: example.com/wait}]"));
  EXPECT_EQ(kube::Label(*patched, "example.com/theirs"), "kept");
  EXPECT_EQ((*patched)["metadata"]["finalizers"], Yaml("[example.com/hold]"));
}

// As a separate process with only the permissions of the generated role.
TEST_P(WithRealCrds, TheGeneratedRoleIsEnough) {
  world_->manager->Stop();
  const auto user = server::User::ServiceAccount("ai", "backend");
  world_->Create(MakeClusterRole(*world_->backends->current(), "backend", {GetParam().backend}));
  world_->Create(
      Yaml("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, "
           "metadata: {name: backend}, roleRef: {apiGroup: rbac.authorization.k8s.io, "
           "kind: ClusterRole, name: backend}, subjects: [{kind: ServiceAccount, "
           "namespace: ai, name: backend}]}"));
  const auto client = world_->server->NewClient(world_->stepper, user);
  auto manager = kube::Manager::Make(*client, world_->stepper);
  auto backends = MakeBackends(*manager, world_->backends->current()->config());
  ASSERT_TRUE(backends.ok());
  ASSERT_TRUE(AddToManager(*manager, **backends, {.only = {GetParam().backend}}).ok());
  manager->Start();
  ASSERT_TRUE(world_->client->Delete(api::kPodGangs, {"ai", "llm-0"}, {}).ok());
  world_->RunFor(std::chrono::seconds(5));
  Value gang = ExampleGang(GetParam().scheduler);
  gang.Mutable("metadata").Set("ownerReferences", gang_["metadata"]["ownerReferences"]);
  world_->CreateGang(gang);
  world_->Initialize("ai", "llm-0");
  world_->RunFor(std::chrono::seconds(5));
  const Value stored = world_->Get(api::kPodGangs, "ai", "llm-0");
  const Value& synced = kube::Condition(stored, "BackendSynced");
  EXPECT_EQ(synced["status"].AsString(), "True") << synced["message"].AsString();
  manager->Stop();
  world_->stepper.RunUntilIdle();
}

TEST_P(WithRealCrds, ASecondLookWritesNothing) {
  world_->CreatePod("ai", "llm-0", "llm-0-fe", 0, "fe-a");
  world_->Initialize("ai", "llm-0");
  world_->RunFor(std::chrono::minutes(1));
  const int64_t before = world_->writes();
  for (int i = 0; i < 20; ++i) {
    world_->manager->Enqueue("backend-" + GetParam().backend, {"ai", "llm-0"});
    world_->Settle();
  }
  EXPECT_EQ(world_->writes(), before);
}

INSTANTIATE_TEST_SUITE_P(Backends, WithRealCrds, testing::ValuesIn(Cases()),
                         [](const testing::TestParamInfo<Case>& each) {
                           std::string name = each.param.backend;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Admission, RefusedAtSubmitTimeWithTheSameText) {
  World world({.projects = {"grove", "scheduler-plugins"},
               .config = "{scheduler: {profiles: [{name: scheduler-plugins-scheduler}]}}"});
  const auto causes = world.backends->Validate(ExampleSet("scheduler-plugins-scheduler"),
                                               LevelsFromBinding(ExampleBinding()));
  ASSERT_EQ(causes.size(), 1u);
  world.Create(ExampleBinding());
  world.CreateGang(ExampleGang("scheduler-plugins-scheduler"));
  world.Settle();
  const Value gang = world.Get(api::kPodGangs, "ai", "llm-0");
  const Value& synced = kube::Condition(gang, "BackendSynced");
  EXPECT_EQ(synced["reason"].AsString(), "CapabilityMissing");
  EXPECT_THAT(causes[0].message, testing::HasSubstr(synced["message"].ToString()));
}

TEST(Problems, AreCountedByReason) {
  World world({.config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  world.CreateGang(ExampleGang("kai-scheduler"));
  world.Settle();
  EXPECT_THAT(world.manager->runtime().metrics.Text(),
              testing::HasSubstr("coppice_backend_sync_problems_total{backend=\"kai\",reason=\""
                                 "BackendUnavailable\"} 1"));
}

TEST(Topology, KeysThatNoNodeHasAreAConditionAndAnEvent) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  world.Create(ExampleBinding());
  world.Create(Yaml("{apiVersion: v1, kind: Node, metadata: {name: bare}}"));
  world.CreateGang(ExampleGang("kai-scheduler"));
  world.Settle();
  const Value gang = world.Get(api::kPodGangs, "ai", "llm-0");
  const Value& synced = kube::Condition(gang, "BackendSynced");
  EXPECT_EQ(synced["reason"].AsString(), "TopologyUnresolved");
  EXPECT_THAT(synced["message"].ToString(), testing::HasSubstr("topology.kubernetes.io/rack"));
  int events = 0;
  for (const Value& event : world.List(api::kEvents)) {
    events += event["reason"].AsString() == "TopologyUnresolved";
  }
  EXPECT_EQ(events, 1);
  // The label appears, and the gang continues without intervention.
  world.Patch(api::kNodes, "", "bare",
              Yaml("{metadata: {labels: {topology.kubernetes.io/rack: r1, kubernetes.io/hostname: "
                   "bare}}}"));
  world.RunFor(std::chrono::seconds(20));
  const Value later = world.Get(api::kPodGangs, "ai", "llm-0");
  EXPECT_TRUE(kube::ConditionIs(later, "BackendSynced", "True"));
}

TEST(Admission, UnknownAndMixedSchedulersAreRefused) {
  World world({.config = "{scheduler: {profiles: []}}"});
  EXPECT_EQ(world.backends->Validate(ExampleSet("nobody"), {}).size(), 1u);
}

TEST(SchedulerMismatch, PodsThatDisagreeWithTheirGang) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  world.Create(ExampleBinding());
  world.CreateGang(ExampleGang("kai-scheduler"));
  world.Create(
      Yaml("{apiVersion: v1, kind: Pod, metadata: {name: fe-a, namespace: ai, labels: "
           "{grove.io/podgang: llm-0, grove.io/podclique: llm-0-fe}}, spec: "
           "{schedulerName: volcano, schedulingGates: [{name: grove.io/podgang}], "
           "containers: [{name: c, image: i}]}}"));
  world.Settle();
  const Value gang = world.Get(api::kPodGangs, "ai", "llm-0");
  EXPECT_EQ(kube::Condition(gang, "BackendSynced")["reason"].AsString(), "SchedulerMismatch");
}

TEST(ScaledGang, WaitsForItsBase) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  world.Create(ExampleBinding());
  world.CreateGang(ExampleGang("kai-scheduler"));
  world.CreateGang(ExampleScaledGang("kai-scheduler"));
  world.Settle();
  EXPECT_EQ(world.List(api::kPodGroups).size(), 2u);  // Its object is written immediately.
  world.CreatePod("ai", "llm-0-pf-0", "llm-0-pf-1-wk", 0, "w1-a");
  world.Patch(api::kPods, "ai", "w1-a",
              Yaml("{metadata: {labels: {grove.io/base-podgang: llm-0}}}"));
  world.Initialize("ai", "llm-0-pf-0");
  world.Settle();
  const ReleaseDecision waiting = world.backends->CheckRelease(world.Get(api::kPods, "ai", "w1-a"));
  EXPECT_EQ(waiting.reason, "base gang llm-0 is not scheduled");
}

}  // namespace
}  // namespace coppice::backends
