// The same input under the default profile and under `compatibility: grove`: exactly the
// differences in the table of docs/compatibility.md.
#include <gtest/gtest.h>

#include "api/kai/crds.h"
#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/cache/packing/trim.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using json::Value;

constexpr char kProfiledSet[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: app, labels: {kai.scheduler/queue: team}}
spec:
  replicas: 1
  template:
    priorityClassName: train
    cliques:
    - {name: w, spec: {roleName: w, replicas: 2, podSpec: {schedulerName: SCHEDULER, containers: [{name: c, image: i}]}}}
    - {name: v, spec: {roleName: v, replicas: 1, podSpec: {schedulerName: SCHEDULER, containers: [{name: c, image: i}]}}}
    podCliqueScalingGroups: [{name: g, cliqueNames: [v], replicas: 2}]
)";

std::string For(const std::string& scheduler) {
  std::string text = kProfiledSet;
  for (size_t at = text.find("SCHEDULER"); at != std::string::npos; at = text.find("SCHEDULER")) {
    text.replace(at, 9, scheduler);
  }
  return text;
}

struct ProfileOutcome {
  std::unique_ptr<World> world;
  Value gang, pod, clique, group, service;
};

void AddPriorityClass(World& world) {
  EXPECT_TRUE(world.client->Create(
      api::kPriorityClasses,
      *json::ParseYaml("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: "
                       "train}, value: 50}")));
}

ProfileOutcome RunProfile(bool grove, const std::string& scheduler) {
  World::Options options = grove ? GroveWorld() : DefaultWorld();
  options.config.backends.profiles.push_back({.name = "kai-scheduler", .backend = "kai"});
  options.crds = api::kai::Crds();
  ProfileOutcome outcome;
  outcome.world = std::make_unique<World>(options);
  World& world = *outcome.world;
  AddPriorityClass(world);
  world.Create(For(scheduler));
  EXPECT_TRUE(world.Settle());
  outcome.gang = world.Get(api::kPodGangs, "app-0");
  outcome.pod = world.PodOf("app-0-w-0");
  outcome.clique = world.Get(api::kPodCliques, "app-0-w");
  outcome.group = world.Get(api::kPodCliqueScalingGroups, "app-0-g");
  outcome.service = world.Get(api::kServices, "app-0");
  return outcome;
}

// Removes what differs from run to run, and the known differences between the profiles.
Value Comparable(Value object, const std::vector<std::string>& labels,
                 const std::vector<std::string>& annotations,
                 const std::vector<std::string>& spec) {
  Value& metadata = object.Mutable("metadata");
  for (const char* field : {"uid", "resourceVersion", "managedFields", "creationTimestamp", "name",
                            "generation", "ownerReferences"}) {
    metadata.Erase(field);
  }
  for (const std::string& key : labels) metadata.Mutable("labels").Erase(key);
  for (const std::string& key : annotations) metadata.Mutable("annotations").Erase(key);
  if (metadata["annotations"].empty()) metadata.Erase("annotations");
  for (const std::string& key : spec) object.Mutable("spec").Erase(key);
  object.Erase("status");
  return object;
}

class Profiles : public ::testing::TestWithParam<std::string> {
 protected:
  ProfileOutcome ours_ = RunProfile(false, GetParam());
  ProfileOutcome grove_ = RunProfile(true, GetParam());
};

TEST_P(Profiles, CliquesGroupsAndServicesAreTheSame) {
  EXPECT_EQ(Comparable(ours_.clique, {}, {}, {}), Comparable(grove_.clique, {}, {}, {}));
  EXPECT_EQ(Comparable(ours_.group, {}, {}, {}), Comparable(grove_.group, {}, {}, {}));
  EXPECT_EQ(Comparable(ours_.service, {}, {}, {}), Comparable(grove_.service, {}, {}, {}));
}

TEST_P(Profiles, GangsDifferInLabelsAnnotationsAndStatus) {
  EXPECT_NE(kube::Label(ours_.gang, labels::kBackend), "");
  EXPECT_EQ(kube::Label(grove_.gang, labels::kBackend), "");
  EXPECT_EQ(kube::Label(grove_.gang, labels::kSchedulerName), GetParam());
  EXPECT_EQ(ours_.gang["status"]["phase"].AsString(), "Running");
  EXPECT_EQ(grove_.gang["status"]["phase"].AsString(), "Pending");
  const std::vector<std::string> labels = {std::string(labels::kBackend),
                                           std::string(labels::kSchedulerName),
                                           std::string(labels::kSetReplica)};
  const std::vector<std::string> annotations = {"kai.scheduler/skip-podgrouper",
                                                std::string(labels::kCopiedKeys)};
  EXPECT_EQ(Comparable(ours_.gang, labels, annotations, {"podgroups"}),
            Comparable(grove_.gang, labels, annotations, {"podgroups"}));
}

TEST_P(Profiles, PodsDifferInPriorityAndInTheirGangsName) {
  EXPECT_EQ(ours_.pod["spec"]["priorityClassName"].AsString(), "train");
  EXPECT_TRUE(grove_.pod["spec"]["priorityClassName"].IsNull());
  const std::vector<std::string> spec = {"priorityClassName", "priority", "preemptionPolicy",
                                         "workloadRef", "schedulingGroup"};
  // The API server generates a name for the token volume.
  EXPECT_EQ(Comparable(kube::WithCommonTokenName(ours_.pod), {}, {"pod-group-name"}, spec),
            Comparable(kube::WithCommonTokenName(grove_.pod), {}, {"pod-group-name"}, spec));
}

TEST_P(Profiles, TheSchedulersObjectDiffersInName) {
  if (GetParam() == "kai-scheduler") {
    EXPECT_TRUE(grove_.world->Exists(api::kPodGroups, "app-0"));
    EXPECT_FALSE(ours_.world->Exists(api::kPodGroups, "app-0"));
    EXPECT_TRUE(
        ours_.world->Exists(api::kPodGroups, "pg-app-0-" + std::string(kube::Uid(ours_.gang))));
    return;
  }
  kube::ListOptions all;
  const auto written = ours_.world->client->List(api::kWorkloadsV1Alpha1, all);
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(written->items.size(), 2u);
  const auto none = grove_.world->client->List(api::kWorkloadsV1Alpha1, all);
  EXPECT_TRUE(!none || none->items.empty());
}

INSTANTIATE_TEST_SUITE_P(Schedulers, Profiles,
                         ::testing::Values("default-scheduler", "kai-scheduler"),
                         [](const auto& name) {
                           return name.param == "kai-scheduler" ? "kai" : "plain";
                         });

// The gate is the backend's own, or upstream's.
TEST(ProfilesOfGates, DifferByBackend) {
  for (const bool grove : {false, true}) {
    World::Options options = grove ? GroveWorld() : DefaultWorld();
    options.bind = false;
    options.config.backends.profiles.push_back({.name = "kai-scheduler", .backend = "kai"});
    options.crds = api::kai::Crds();
    World world(options);
    AddPriorityClass(world);
    Value set = *json::ParseYaml(For("kai-scheduler"));
    // A second clique whose group waits for the base gang keeps its gate.
    ASSERT_TRUE(world.TryCreate(set));
    world.RunFor(std::chrono::seconds(10));
    const Value pod = world.PodOf("app-0-g-1-v-0");
    ASSERT_FALSE(pod.IsNull());
    ASSERT_EQ(pod["spec"]["schedulingGates"].size(), 1u);
    EXPECT_EQ(pod["spec"]["schedulingGates"].At(0)["name"].AsString(),
              grove ? "grove.io/podgang-pending-creation" : "grove.io/podgang");
  }
}

// A set without a queue is rejected, or goes to the default queue.
TEST(ProfilesOfQueues, RequiredOrDefaulted) {
  for (const bool grove : {false, true}) {
    World::Options options = grove ? GroveWorld() : DefaultWorld();
    options.config.backends.profiles.push_back({.name = "kai-scheduler", .backend = "kai"});
    options.crds = api::kai::Crds();
    World world(options);
    AddPriorityClass(world);
    Value set = *json::ParseYaml(For("kai-scheduler"));
    set.Mutable("metadata").Erase("labels");
    const auto created = world.TryCreate(set);
    EXPECT_EQ(created.ok(), !grove);
    if (grove) continue;
    ASSERT_TRUE(world.Settle());
    const auto groups = world.List(api::kPodGroups);
    ASSERT_FALSE(groups.empty());
    EXPECT_EQ(groups[0]["spec"]["queue"].AsString(), "default-queue");
  }
}

// A backend's rejection includes the whole spec, or not.
TEST(ProfilesOfRefusals, ShowTheSpecOrNot) {
  for (const bool grove : {false, true}) {
    World::Options options = grove ? GroveWorld() : DefaultWorld();
    options.config.backends.profiles.push_back({.name = "kai-scheduler", .backend = "kai"});
    World world(options);
    Value set = *json::ParseYaml(For("kai-scheduler"));
    // Two queues: ambiguous.
    Value& clique = set.Mutable("spec").Mutable("template").Mutable("cliques").MutableItems()[0];
    clique.Set("labels", Value::Object({{"kai.scheduler/queue", "other"}}));
    const auto refused = world.TryCreate(set);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message().find("spec: Invalid value: {") != std::string::npos, grove)
        << refused.error().message();
    EXPECT_NE(refused.error().message().find("queue"), std::string::npos);
  }
}

// A template that is invalid for pods is rejected, or accepted; failing pods set a condition, or
// not.
TEST(ProfilesOfFailures, RefusedAndToldOrNot) {
  for (const bool grove : {false, true}) {
    World world(grove ? GroveWorld() : DefaultWorld());
    const auto create = [&](const std::string& name, const std::string& pod_spec) {
      return world.TryCreate(*json::ParseYaml(
          "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: " + name +
          "}, spec: {replicas: 1, template: {cliques: [{name: w, spec: {roleName: w, replicas: 1, "
          "podSpec: " +
          pod_spec + "}}]}}}"));
    };
    EXPECT_EQ(create("bad", "{containers: [{name: c}]}").ok(), grove);
    ASSERT_TRUE(create("app", "{priorityClassName: nobody, containers: [{name: c, image: i}]}"));
    world.RunFor(std::chrono::seconds(5));
    EXPECT_EQ(kube::ConditionIs(world.Get(api::kPodCliqueSets, "app"), "ReplicaFailure", "True"),
              !grove);
  }
}

}  // namespace
}  // namespace coppice::operators
