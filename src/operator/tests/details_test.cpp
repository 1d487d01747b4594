// Small guarantees of the operator, one test each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSubsetOf;

std::set<std::string> EventReasons(World& world, const std::string& kind) {
  std::set<std::string> reasons;
  for (const json::Value& event : world.List(api::kEvents)) {
    if (event["involvedObject"]["kind"].AsString() == kind ||
        event["regarding"]["kind"].AsString() == kind) {
      reasons.insert(event["reason"].ToString());
    }
  }
  return reasons;
}

std::set<std::string> EventMessages(World& world, const std::string& reason) {
  std::set<std::string> messages;
  for (const json::Value& event : world.List(api::kEvents)) {
    if (event["reason"].AsString() != reason) continue;
    messages.insert((event["message"].IsString() ? event["message"] : event["note"]).ToString());
  }
  return messages;
}

json::Value ConditionNamed(const json::Value& object, std::string_view type) {
  for (const json::Value& condition : object["status"]["conditions"].Items()) {
    if (condition["type"].AsString() == type) return condition;
  }
  return {};
}

class Details : public ::testing::Test {
 protected:
  void CreateSmallSet() {
    world_.Create(SmallSet());
    ASSERT_TRUE(world_.Settle());
  }

  World world_{GroveWorld()};
};

TEST_F(Details, GangsMirrorTheSetsMetadata) {
  CreateSmallSet();
  world_.MergePatch(api::kPodCliqueSets, "demo",
                    "{metadata: {labels: {team: a}, annotations: {note: x, grove.io/own: mine}}}");
  world_.MergePatch(api::kPodGangs, "demo-0", "{metadata: {annotations: {grove.io/theirs: z}}}");
  ASSERT_TRUE(world_.Settle());
  json::Value gang = world_.Get(api::kPodGangs, "demo-0");
  EXPECT_EQ(kube::Label(gang, "team"), "a");
  EXPECT_EQ(kube::Annotation(gang, "note"), "x");
  EXPECT_EQ(kube::Annotation(gang, "grove.io/own"), "");
  EXPECT_EQ(kube::Annotation(gang, "grove.io/theirs"), "z");
  world_.MergePatch(api::kPodCliqueSets, "demo",
                    "{metadata: {labels: {team: null}, annotations: {note: null}}}");
  ASSERT_TRUE(world_.Settle());
  gang = world_.Get(api::kPodGangs, "demo-0");
  EXPECT_EQ(kube::Label(gang, "team"), "");
  EXPECT_EQ(kube::Annotation(gang, "note"), "");
  EXPECT_EQ(kube::Annotation(gang, "grove.io/theirs"), "z");
}

TEST_F(Details, GangsReferToLivePodsInOrder) {
  CreateSmallSet();
  const json::Value gone = world_.PodOf("demo-0-fe-0");
  world_.Delete(api::kPods, std::string(kube::Name(gone)));
  ASSERT_TRUE(world_.Settle());
  const json::Value gang = world_.Get(api::kPodGangs, "demo-0");
  const json::Value references = gang["spec"]["podgroups"].At(0)["podReferences"];
  ASSERT_EQ(references.size(), 2u);
  EXPECT_LT(references.At(0)["name"].AsString(), references.At(1)["name"].AsString());
  for (const json::Value& reference : references.Items()) {
    EXPECT_NE(reference["name"].AsString(), kube::Name(gone));
    EXPECT_TRUE(world_.Exists(api::kPods, reference["name"].ToString()));
  }
  EXPECT_EQ(ConditionNamed(gang, "Initialized")["reason"].AsString(), "PodGangPodsCreated");
}

TEST_F(Details, FinalizersAreAddedAndLeaveWithTheirObjects) {
  CreateSmallSet();
  EXPECT_TRUE(
      kube::HasFinalizer(world_.Get(api::kPodCliqueSets, "demo"), api::finalizers::kPodCliqueSet));
  EXPECT_TRUE(
      kube::HasFinalizer(world_.Get(api::kPodCliques, "demo-0-fe"), api::finalizers::kPodClique));
  EXPECT_TRUE(kube::HasFinalizer(world_.Get(api::kPodCliqueScalingGroups, "demo-0-g"),
                                 api::finalizers::kScalingGroup));
  world_.Delete(api::kPodCliqueSets, "demo");
  ASSERT_TRUE(world_.Settle());
  EXPECT_FALSE(world_.Exists(api::kPodCliqueSets, "demo"));
  EXPECT_TRUE(world_.List(api::kPodCliques).empty());
}

TEST_F(Details, AForeignSecretIsAConflictThatTheSetReports) {
  world_.Create("{apiVersion: v1, kind: Secret, metadata: {name: so-ic-sat}, type: Opaque}");
  world_.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: so}, spec: {replicas: "
      "1, template: {cliqueStartupType: CliqueStartupTypeInOrder, cliques: [{name: a, spec: "
      "{roleName: a, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}, {name: b, spec: "
      "{roleName: b, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}]}}}");
  world_.RunFor(std::chrono::minutes(1));
  const json::Value errors = world_.Get(api::kPodCliqueSets, "so")["status"]["lastErrors"];
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors.At(0)["code"].AsString(), "ERR_SECRET_CONFLICT");
  // What is created before the Secret exists, what comes after it does not.
  EXPECT_TRUE(world_.Exists(api::kServiceAccounts, "so"));
  EXPECT_TRUE(world_.List(api::kPodCliques).empty());
  EXPECT_TRUE(world_.List(api::kPodGangs).empty());
  world_.Delete(api::kSecrets, "so-ic-sat");
  world_.RunFor(std::chrono::minutes(20));
  EXPECT_TRUE(world_.Get(api::kPodCliqueSets, "so")["status"]["lastErrors"].empty());
  EXPECT_EQ(world_.List(api::kPods).size(), 2u);
}

// Leftovers of older releases are deleted, unless they belong to someone else.
TEST_F(Details, TheLegacySecretOfTheSetGoes) {
  CreateSmallSet();
  const std::string uid(kube::Uid(world_.Get(api::kPodCliqueSets, "demo")));
  world_.Create(
      "{apiVersion: v1, kind: Secret, metadata: {name: demo-initc-sa-token-secret, labels: "
      "{app.kubernetes.io/managed-by: grove-operator, app.kubernetes.io/part-of: demo}, "
      "ownerReferences: [{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, name: demo, uid: " +
      uid + ", controller: true}]}, type: Opaque}");
  world_.RunFor(std::chrono::seconds(1));
  world_.MergePatch(api::kPodCliqueSets, "demo",
                    "{metadata: {annotations: {grove.io/reconcile-trigger: now}}}");
  ASSERT_TRUE(world_.Settle());
  EXPECT_FALSE(world_.Exists(api::kSecrets, "demo-initc-sa-token-secret"));
  EXPECT_TRUE(world_.Exists(api::kSecrets, "demo-ic-sat"));
}

TEST_F(Details, GroupsAndGangsComeAfterCliques) {
  world_.Create(
      "{apiVersion: v1, kind: ResourceQuota, metadata: {name: none}, spec: {hard: "
      "{count/podcliques.grove.io: '0'}}}");
  world_.Create(SmallSet());
  world_.RunFor(std::chrono::minutes(1));
  EXPECT_TRUE(world_.Exists(api::kServiceAccounts, "demo"));
  EXPECT_TRUE(world_.List(api::kPodCliqueScalingGroups).empty());
  EXPECT_TRUE(world_.List(api::kPodGangs).empty());
  world_.Delete({"", "v1", "resourcequotas", "ResourceQuota"}, "none");
  ASSERT_TRUE(world_.Settle(std::chrono::minutes(2)));
  EXPECT_EQ(world_.List(api::kPodGangs).size(), 2u);
}

TEST_F(Details, WhatIsScaledSelectsItsPods) {
  CreateSmallSet();
  const auto selected = [&](const api::Resource& resource, const std::string& name) {
    const auto scale =
        world_.client->Get(resource, {World::kNamespace, name}, {.subresource = "scale"});
    if (!scale) return -1;
    const std::string selector = (*scale)["status"]["selector"].ToString();
    return selector.empty() ? -2 : static_cast<int>(world_.List(api::kPods, selector).size());
  };
  EXPECT_EQ(selected(api::kPodCliqueSets, "demo"), 8);
  EXPECT_EQ(selected(api::kPodCliqueScalingGroups, "demo-0-g"), 6);
  EXPECT_EQ(selected(api::kPodCliques, "demo-0-fe"), 2);
}

TEST_F(Details, AutoscalersComeAndGoWithTheirConfiguration) {
  world_.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: as}, spec: {replicas: "
      "2, template: {cliques: [{name: a, spec: {roleName: a, replicas: 1, autoScalingConfig: "
      "{maxReplicas: 3}, podSpec: {containers: [{name: c, image: i}]}}}]}}}");
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(world_.Names(api::kHorizontalPodAutoscalers),
            (std::vector<std::string>{"as-0-a", "as-1-a"}));
  world_.Scale(api::kPodCliqueSets, "as", 1);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(world_.Names(api::kHorizontalPodAutoscalers), (std::vector<std::string>{"as-0-a"}));
  const json::Value clique = world_.Get(api::kPodCliques, "as-0-a");
  EXPECT_EQ(clique["status"]["hpaPodSelector"].AsString(),
            "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=as,"
            "grove.io/podclique=as-0-a");
}

TEST_F(Details, ABreachCountsWhileAnUpdateOnDeleteIsOpen) {
  world_.Create(SmallSet("i:1", 1, "OnDelete"));
  ASSERT_TRUE(world_.Settle());
  world_.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(PodsWithImage(world_, "i:2"), 0);
  for (const char* pod : {"demo-0-fe-0", "demo-0-fe-1"}) world_.SetReady(pod, false);
  world_.RunFor(std::chrono::seconds(5));
  const json::Value clique = world_.Get(api::kPodCliques, "demo-0-fe");
  EXPECT_EQ(ConditionNamed(clique, "MinAvailableBreached")["status"].AsString(), "True");
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(PodsWithImage(world_, "i:2"), 8) << "the replica was ended, and made anew";
}

TEST_F(Details, AGroupThatLosesAllItsReplicasIsAnEvent) {
  CreateSmallSet();
  world_.bind = false;
  for (const json::Value& pod :
       world_.List(api::kPods, "grove.io/podcliquescalinggroup=demo-0-g")) {
    ASSERT_TRUE(world_.client->Delete(api::kPods, kube::KeyOf(pod), {.grace_period_seconds = 0}));
  }
  world_.RunFor(std::chrono::seconds(5));
  EXPECT_TRUE(EventReasons(world_, "PodCliqueScalingGroup").contains("AllScheduledReplicasLost"));
}

TEST_F(Details, LosingAllScheduledPodsIsAnEvent) {
  CreateSmallSet();
  world_.bind = false;
  for (const json::Value& pod : world_.List(api::kPods, "grove.io/podclique=demo-0-fe")) {
    ASSERT_TRUE(world_.client->Delete(api::kPods, kube::KeyOf(pod), {.grace_period_seconds = 0}));
  }
  world_.RunFor(std::chrono::seconds(5));
  EXPECT_TRUE(EventReasons(world_, "PodClique").contains("AllScheduledReplicasLost"));
  EXPECT_EQ(EventMessages(world_, "AllScheduledReplicasLost"),
            (std::set<std::string>{
                "All scheduled pods lost (was 1). Gang termination will fire after "
                "TerminationDelay if the PodClique stays below MinAvailable; investigate node "
                "availability or capacity."}));
}

TEST_F(Details, ABreachIsUnknownWhileAnUpdateRuns) {
  CreateSmallSet();
  world_.bind = false;
  world_.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
  world_.RunFor(std::chrono::seconds(30));
  const json::Value clique = world_.Get(api::kPodCliques, "demo-0-fe");
  EXPECT_EQ(ConditionNamed(clique, "MinAvailableBreached")["status"].AsString(), "Unknown");
  EXPECT_EQ(ConditionNamed(clique, "MinAvailableBreached")["reason"].AsString(),
            "UpdateInProgress");
}

TEST_F(Details, EventsTellWhatHappened) {
  CreateSmallSet();
  world_.Scale(api::kPodCliques, "demo-0-fe", 1);
  world_.Scale(api::kPodCliqueScalingGroups, "demo-0-g", 1);
  ASSERT_TRUE(world_.Settle());
  EXPECT_THAT((std::vector<std::string>{"PodCreateSuccessful", "PodDeleteSuccessful"}),
              IsSubsetOf(EventReasons(world_, "PodClique")));
  EXPECT_THAT((std::vector<std::string>{
                  "PodCliqueCreateOrUpdateSuccessful", "PodCliqueScalingGroupCreateSuccessful",
                  "PodGangCreateOrUpdateSuccessful", "PodGangDeleteSuccessful"}),
              IsSubsetOf(EventReasons(world_, "PodCliqueSet")));
  EXPECT_TRUE(EventReasons(world_, "PodCliqueScalingGroup").contains("PodCliqueCreateSuccessful"));
}

// The events are the same as Grove's.
TEST_F(Details, EventsSpeakAsUpstreams) {
  CreateSmallSet();
  world_.Scale(api::kPodCliqueScalingGroups, "demo-0-g", 1);
  ASSERT_TRUE(world_.Settle());
  EXPECT_TRUE(EventMessages(world_, "PodCliqueCreateOrUpdateSuccessful")
                  .contains("PodClique team/demo-0-fe created or updated successfully"));
  EXPECT_TRUE(EventMessages(world_, "PodCliqueCreateSuccessful")
                  .contains("PodClique team/demo-0-g-0-ld created successfully"));
  EXPECT_TRUE(EventMessages(world_, "PodCliqueScalingGroupCreateSuccessful")
                  .contains("Created PodCliqueScalingGroup team/demo-0-g"));
  EXPECT_TRUE(EventMessages(world_, "PodGangCreateOrUpdateSuccessful")
                  .contains("Created/Updated PodGang team/demo-0"));
  EXPECT_TRUE(EventMessages(world_, "PodCliqueScalingGroupReplicaDeleteSuccessful")
                  .contains("Deleted PodCliqueScalingGroup demo-0-g replicaIndex: 1"));
}

TEST_F(Details, WhatFailsIsAnEvent) {
  CreateSmallSet();
  // Pods and cliques can no longer be created.
  world_.Create(
      "{apiVersion: v1, kind: ResourceQuota, metadata: {name: none}, spec: {hard: {pods: '0', "
      "count/podcliques.grove.io: '0', count/podcliquescalinggroups.grove.io: '0', "
      "count/podgangs.scheduler.grove.io: '0'}}}");
  world_.Scale(api::kPodCliques, "demo-0-fe", 3);
  world_.Scale(api::kPodCliqueScalingGroups, "demo-0-g", 3);
  world_.Scale(api::kPodCliqueSets, "demo", 2);
  world_.RunFor(std::chrono::seconds(30));
  EXPECT_TRUE(EventReasons(world_, "PodClique").contains("PodCreateFailed"));
  EXPECT_TRUE(EventReasons(world_, "PodCliqueScalingGroup").contains("PodCliqueCreateFailed"));
  EXPECT_TRUE(EventReasons(world_, "PodCliqueSet").contains("PodCliqueCreateOrUpdateFailed"));
}

// The whole gang goes to the scheduler in the annotation, whatever the templates say.
TEST(Override, PodsGoToTheSchedulerThatWasChosen) {
  World::Options options = DefaultWorld();
  options.config.backends = backends::AllBackends();
  World world(std::move(options));
  for (const auto& [backend, scheduler] :
       std::map<std::string, std::string>{{"podgang", "grove-scheduler"},
                                          {"default", "default-scheduler"},
                                          {"yunikorn", "yunikorn"},
                                          {"koordinator", "koord-scheduler"}}) {
    world.Create(
        "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: " + backend +
        ", annotations: {grove.io/scheduler-backend: " + backend +
        "}}, spec: {replicas: 1, template: {cliques: [{name: w, spec: {roleName: w, replicas: 2, "
        "podSpec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}}}]}}}");
    ASSERT_TRUE(world.Settle());
    const auto pods = world.List(api::kPods, "app.kubernetes.io/part-of=" + backend);
    ASSERT_EQ(pods.size(), 2u);
    for (const json::Value& pod : pods) {
      EXPECT_EQ(pod["spec"]["schedulerName"].AsString(), scheduler);
      EXPECT_TRUE(pod["spec"]["schedulingGates"].empty()) << backend;
    }
    EXPECT_EQ(world.Get(api::kPodGangs, backend + "-0")["status"]["phase"].AsString(), "Running");
  }
}

// Admission cannot reject what was admitted before; the set then reports why it makes no progress.
TEST(DisabledProfile, LeavesItsSetsAsTheyAreAndSaysSo) {
  World::Options options = DefaultWorld();
  options.config.backends = backends::AllBackends();
  World world(std::move(options));
  world.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: app}, spec: {replicas: "
      "1, template: {cliques: [{name: w, spec: {roleName: w, replicas: 2, podSpec: {schedulerName: "
      "yunikorn, containers: [{name: c, image: i}]}}}]}}}");
  ASSERT_TRUE(world.Settle());
  ASSERT_EQ(world.List(api::kPods).size(), 2u);
  world.RestartWith(DefaultWorld().config.backends);
  world.Scale(api::kPodCliques, "app-0-w", 3);
  world.RunFor(std::chrono::minutes(1));
  EXPECT_EQ(world.List(api::kPods).size(), 2u);
  EXPECT_TRUE(world.Exists(api::kPodGangs, "app-0"));
  const auto messages = EventMessages(world, "PodGangCreateOrUpdateFailed");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_THAT(*messages.begin(), HasSubstr("no enabled scheduler backend serves schedulerName "
                                           "\"yunikorn\"; enabled: default-scheduler"));
  const json::Value synced = kube::Condition(world.Get(api::kPodGangs, "app-0"), "BackendSynced");
  EXPECT_EQ(synced["status"].AsString(), "False");
  EXPECT_EQ(synced["reason"].AsString(), "NoBackend");
  EXPECT_EQ(synced["message"].AsString(), *messages.begin());
}

// Without a webhook that rejects it: the gang exists and reports why it makes no progress.
TEST(UnknownScheduler, HasAPodGangThatSaysSoAndGoesOnWhenItIsServed) {
  World::Options options = DefaultWorld();
  options.config.backends = backends::AllBackends();
  World world(std::move(options));
  world.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: app}, spec: {replicas: "
      "1, template: {cliques: [{name: w, spec: {roleName: w, replicas: 2, minAvailable: 2, "
      "podSpec: "
      "{schedulerName: yunikorn, containers: [{name: c, image: i}]}}}]}}}");
  world.RestartWith(DefaultWorld().config.backends);  // Before anything happens to the set.
  world.RunFor(std::chrono::minutes(1));
  const json::Value gang = world.Get(api::kPodGangs, "app-0");
  EXPECT_EQ(kube::Label(gang, "grove.io/scheduler-name"), "yunikorn");
  const json::Value synced = kube::Condition(gang, "BackendSynced");
  EXPECT_EQ(synced["reason"].AsString(), "NoBackend");
  EXPECT_THAT(synced["message"].ToString(), HasSubstr("serves schedulerName \"yunikorn\""));
  EXPECT_EQ(EventMessages(world, "PodGangCreateOrUpdateFailed").size(), 1u);
  EXPECT_TRUE(world.List(api::kPods).empty());
  world.RestartWith(backends::AllBackends());
  world.RunFor(std::chrono::minutes(1));
  EXPECT_EQ(world.List(api::kPods).size(), 2u);
  EXPECT_EQ(
      kube::Condition(world.Get(api::kPodGangs, "app-0"), "BackendSynced")["status"].AsString(),
      "True");
}

TEST_F(Details, ReplacedReplicasOfAGroupAreEvents) {
  CreateSmallSet();
  world_.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
  ASSERT_TRUE(world_.Settle());
  EXPECT_TRUE(EventMessages(world_, "PodCliqueScalingGroupReplicaDeleteSuccessful")
                  .contains("Deleted PodCliqueScalingGroup demo-0-g replicaIndex: 0"));
}

TEST_F(Details, AnUpdateThatHasEndedIsCounted) {
  CreateSmallSet();
  world_.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
  json::Value progress;
  for (int i = 0; i < 6000 && progress["updateEndedAt"].IsNull(); ++i) {
    world_.RunFor(std::chrono::milliseconds(10));
    progress = world_.Get(api::kPodCliqueSets, "demo")["status"]["updateProgress"];
  }
  ASSERT_FALSE(progress["updateEndedAt"].IsNull());
  EXPECT_EQ(progress["totalPodCliqueScalingGroupsCount"].AsInt(), 1);
  EXPECT_EQ(progress["updatedPodCliqueScalingGroupsCount"].AsInt(), 1);
  EXPECT_EQ(progress["totalPodCliquesCount"].AsInt(), 1);
  EXPECT_EQ(progress["updatedPodCliquesCount"].AsInt(), 1);
}

TEST_F(Details, HashesDependOnTheTemplateAlone) {
  CreateSmallSet();
  const json::Value before = world_.Get(api::kPodCliqueSets, "demo")["status"];
  world_.MergePatch(api::kPodCliqueSets, "demo",
                    "{spec: {replicas: 2, template: {terminationDelay: 1h}}}");
  world_.Restart();
  ASSERT_TRUE(world_.Settle());
  const json::Value after = world_.Get(api::kPodCliqueSets, "demo")["status"];
  EXPECT_EQ(after["currentGenerationHash"], before["currentGenerationHash"]);
  EXPECT_TRUE(after["updateProgress"].IsNull());
}

// Six changes in quick succession: pods of the last template are created once.
TEST_F(Details, ManyChangesAtOnceReplaceNoPodThatTheLastOneKeeps) {
  CreateSmallSet();
  std::set<std::string> made;
  const auto remember = [&] {
    for (const json::Value& pod : world_.List(api::kPods)) {
      if (pod["spec"]["containers"].At(0)["image"].AsString() == "i:7") {
        made.emplace(kube::Uid(pod));
      }
    }
  };
  for (int change = 2; change <= 7; ++change) {
    world_.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:" + std::to_string(change)));
    world_.RunFor(std::chrono::seconds(3));
    remember();
  }
  for (int i = 0; i < 600; ++i) {
    world_.RunFor(std::chrono::milliseconds(500));
    remember();
  }
  EXPECT_EQ(PodsWithImage(world_, "i:7"), 8);
  EXPECT_EQ(made.size(), 8u);
}

TEST_F(Details, ChangesOutsideTheTemplateReplaceNothing) {
  CreateSmallSet();
  std::set<std::string> before;
  for (const json::Value& pod : world_.List(api::kPods)) before.emplace(kube::Uid(pod));
  for (int change = 0; change < 6; ++change) {
    world_.MergePatch(api::kPodCliqueSets, "demo",
                      "{metadata: {labels: {change: c" + std::to_string(change) +
                          "}}, spec: {template: {terminationDelay: " + std::to_string(change + 1) +
                          "h}}}");
    world_.RunFor(std::chrono::seconds(3));
  }
  ASSERT_TRUE(world_.Settle());
  std::set<std::string> after;
  for (const json::Value& pod : world_.List(api::kPods)) after.emplace(kube::Uid(pod));
  EXPECT_EQ(after, before);
}

// Gates of others stay, whatever happens to ours.
TEST(DetailsOfGates, ForeignOnesStay) {
  World world(DefaultWorld());
  world.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: ga}, spec: {replicas: "
      "1, template: {cliques: [{name: a, spec: {roleName: a, replicas: 1, podSpec: "
      "{schedulingGates: [{name: theirs}], containers: [{name: c, image: i}]}}}]}}}");
  ASSERT_TRUE(world.Settle());
  const json::Value gates = world.PodOf("ga-0-a-0")["spec"]["schedulingGates"];
  ASSERT_EQ(gates.size(), 1u);
  EXPECT_EQ(gates.At(0)["name"].AsString(), "theirs");
}

}  // namespace
}  // namespace coppice::operators
