#include "backends/workload/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "backends/gangs/translate.h"
#include "backends/model/labels.h"
#include "backends/tests/world_testing.h"
#include "backends/workload/api_choice.h"
#include "backends/workload/plan.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::backends::workload {
namespace {

using json::Value;
using testing::ElementsAreArray;

const std::string kScheduler(kSchedulerName);

GangInput Base(const std::string& release, const std::string& options = "{}") {
  return ExampleInput(ExampleGang(kScheduler), kScheduler, ReleaseCapabilities(release),
                      Yaml(options));
}
GangInput Scaled(const std::string& release, const std::string& options = "{}") {
  return ExampleInput(ExampleScaledGang(kScheduler), kScheduler, ReleaseCapabilities(release),
                      Yaml(options));
}

Translation Translate(const GangInput& input) { return TranslateGang(WorkloadBackend(), input); }

Value Pod(const GangInput& input, const std::string& group, int64_t index) {
  Value pod = Yaml("{apiVersion: v1, kind: Pod, spec: {containers: [{name: main, image: w}]}}");
  const base::Status status = PrepareGangPod(WorkloadBackend(), input, {group, index}, pod);
  EXPECT_TRUE(status.ok()) << status.error().ToString();
  return pod;
}

// A gang with `count` roles; the minimum of role i is minimum(i).
GangInput Many(int count, const std::function<int(int)>& minimum, const std::string& release,
               const std::string& options) {
  Value gang = ExampleGang(kScheduler);
  gang.Mutable("spec").Erase("topologyConstraint");
  Value groups = Value::Array();
  for (int i = 0; i < count; ++i) {
    groups.Append(Value::Object({{"name", fmt::format("many-0-r{:02}", i)},
                                 {"minReplicas", minimum(i)},
                                 {"podReferences", Value::Array()}}));
  }
  gang.Mutable("spec").Set("podgroups", groups);
  return ExampleInput(gang, kScheduler, ReleaseCapabilities(release), Yaml(options));
}

TEST(WorkloadTranslation, Example135) {
  const std::string affinity = "{topology: {requiredGang: PodAffinity}}";
  const Translation base = Translate(Base("1.35", affinity));
  ASSERT_FALSE(base.refusal) << base.refusal->message;
  EXPECT_THAT(WithoutTracking(base), ElementsAreArray(YamlDocuments(R"(
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {name: llm-0, namespace: ai}
spec:
  controllerRef: {apiGroup: scheduler.grove.io, kind: PodGang, name: llm-0}
  podGroups:
  - {name: gang, policy: {gang: {minCount: 6}}}
  - {name: surplus, policy: {basic: {}}}
)")));
  const Translation scaled = Translate(Scaled("1.35", affinity));
  EXPECT_THAT(WithoutTracking(scaled), ElementsAreArray(YamlDocuments(R"(
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {name: llm-0-pf-0, namespace: ai}
spec:
  controllerRef: {apiGroup: scheduler.grove.io, kind: PodGang, name: llm-0-pf-0}
  podGroups:
  - {name: llm-0-pf-1-wk, policy: {gang: {minCount: 4}}}
)")));
}

TEST(WorkloadTranslation, Example135Pods) {
  const GangInput input = Base("1.35", "{topology: {requiredGang: PodAffinity}}");
  EXPECT_EQ(Pod(input, "llm-0-pf-0-wk", 0)["spec"], Yaml(R"(
schedulerName: default-scheduler
priorityClassName: gang-high
schedulingGates: [{name: scheduling.k8s.io/workload}]
workloadRef: {name: llm-0, podGroup: gang}
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - {topologyKey: topology.kubernetes.io/rack, labelSelector: {matchLabels: {grove.io/podgang: llm-0}}}
    preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {grove.io/podclique: llm-0-pf-0-wk}}}
containers: [{name: main, image: w}]
)"));
  EXPECT_EQ(Pod(input, "llm-0-fe", 2)["spec"]["workloadRef"],
            Yaml("{name: llm-0, podGroup: surplus}"));
}

TEST(WorkloadTranslation, Example135RefusesTheRackByDefault) {
  const Translation translation = Translate(Base("1.35"));
  ASSERT_TRUE(translation.refusal);
  EXPECT_EQ(translation.refusal->reason, reasons::kCapabilityMissing);
  EXPECT_EQ(translation.refusal->path, "spec.topologyConstraint.packConstraint.required");
}

TEST(WorkloadTranslation, Example136) {
  const Translation translation = Translate(Base("1.36"));
  ASSERT_FALSE(translation.refusal) << translation.refusal->message;
  EXPECT_THAT(WithoutTracking(translation), ElementsAreArray(YamlDocuments(R"(
apiVersion: scheduling.k8s.io/v1alpha2
kind: Workload
metadata: {name: llm-0, namespace: ai}
spec:
  controllerRef: {apiGroup: scheduler.grove.io, kind: PodGang, name: llm-0}
  podGroupTemplates:
  - {name: gang, schedulingPolicy: {gang: {minCount: 6}}, schedulingConstraints: {topology: [{key: topology.kubernetes.io/rack}]}, disruptionMode: PodGroup, priorityClassName: gang-high}
---
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: llm-0, namespace: ai}
spec:
  podGroupTemplateRef: {workload: {workloadName: llm-0, podGroupTemplateName: gang}}
  schedulingPolicy: {gang: {minCount: 6}}
  schedulingConstraints: {topology: [{key: topology.kubernetes.io/rack}]}
  disruptionMode: PodGroup
  priorityClassName: gang-high
)")));
  const GangInput input = Base("1.36");
  EXPECT_EQ(Pod(input, "llm-0-fe", 1)["spec"]["schedulingGroup"], Yaml("{podGroupName: llm-0}"));
  EXPECT_FALSE(Pod(input, "llm-0-fe", 2)["spec"].Has("schedulingGroup"));
  EXPECT_TRUE(WorkloadBackend().Release(input).hold_surplus);
}

TEST(WorkloadTranslation, Example137Composite) {
  const Translation translation = Translate(Base("1.37+CPG"));
  ASSERT_FALSE(translation.refusal) << translation.refusal->message;
  EXPECT_THAT(WithoutTracking(translation), ElementsAreArray(YamlDocuments(R"(
apiVersion: scheduling.k8s.io/v1beta1
kind: Workload
metadata: {name: llm-0, namespace: ai}
spec:
  controllerRef: {apiGroup: scheduler.grove.io, kind: PodGang, name: llm-0}
  compositePodGroupTemplates:
  - name: gang
    schedulingPolicy: {gang: {minGroupCount: 2}}
    schedulingConstraints: {topology: [{key: topology.kubernetes.io/rack}]}
    disruptionMode: {all: {}}
    priorityClassName: gang-high
    podGroupTemplates:
    - {name: llm-0-fe, schedulingPolicy: {gang: {minCount: 2}}, disruptionMode: {all: {}}, priorityClassName: gang-high}
    - {name: llm-0-pf-0-wk, schedulingPolicy: {gang: {minCount: 4}}, disruptionMode: {all: {}}, priorityClassName: gang-high}
---
apiVersion: scheduling.k8s.io/v1alpha3
kind: CompositePodGroup
metadata: {name: llm-0, namespace: ai}
spec:
  workloadRef: {workloadName: llm-0, templateName: gang}
  schedulingPolicy: {gang: {minGroupCount: 2}}
  schedulingConstraints: {topology: [{key: topology.kubernetes.io/rack}]}
  disruptionMode: {all: {}}
  priorityClassName: gang-high
---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: llm-0-fe, namespace: ai}
spec: {parentCompositePodGroupName: llm-0, workloadRef: {workloadName: llm-0, templateName: llm-0-fe}, schedulingPolicy: {gang: {minCount: 2}}, disruptionMode: {all: {}}, priorityClassName: gang-high}
---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: llm-0-pf-0-wk, namespace: ai}
spec: {parentCompositePodGroupName: llm-0, workloadRef: {workloadName: llm-0, templateName: llm-0-pf-0-wk}, schedulingPolicy: {gang: {minCount: 4}}, disruptionMode: {all: {}}, priorityClassName: gang-high}
)")));
  EXPECT_EQ(Describe(translation.outcomes),
            "spec.podgroups[1].topologyConstraint.packConstraint.preferred=kubernetes.io/hostname: "
            "PodAffinity");
  const GangInput input = Base("1.37+CPG");
  EXPECT_EQ(Pod(input, "llm-0-fe", 2)["spec"]["schedulingGroup"], Yaml("{podGroupName: llm-0-fe}"));
}

TEST(WorkloadTranslation, Example137ScaledGangIsSimple) {
  EXPECT_THAT(WithoutTracking(Translate(Scaled("1.37+CPG"))), ElementsAreArray(YamlDocuments(R"(
apiVersion: scheduling.k8s.io/v1beta1
kind: Workload
metadata: {name: llm-0-pf-0, namespace: ai}
spec:
  controllerRef: {apiGroup: scheduler.grove.io, kind: PodGang, name: llm-0-pf-0}
  podGroupTemplates:
  - {name: llm-0-pf-1-wk, schedulingPolicy: {gang: {minCount: 4}}, schedulingConstraints: {topology: [{key: topology.kubernetes.io/rack}]}, disruptionMode: {all: {}}, priorityClassName: gang-high}
---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: llm-0-pf-1-wk, namespace: ai}
spec: {workloadRef: {workloadName: llm-0-pf-0, templateName: llm-0-pf-1-wk}, schedulingPolicy: {gang: {minCount: 4}}, schedulingConstraints: {topology: [{key: topology.kubernetes.io/rack}]}, disruptionMode: {all: {}}, priorityClassName: gang-high}
)")));
}

TEST(WorkloadApiChoice, TakesTheNewestVersionThatIsServedWhole) {
  const Profile profile;
  EXPECT_EQ(ChooseApi(ReleaseCapabilities("1.35"), profile).workloads.version, "v1alpha1");
  EXPECT_EQ(ChooseApi(ReleaseCapabilities("1.36"), profile).workloads.version, "v1alpha2");
  EXPECT_EQ(ChooseApi(ReleaseCapabilities("1.37"), profile).workloads.version, "v1beta1");
  EXPECT_FALSE(ChooseApi(ReleaseCapabilities("1.37"), profile).has_composites);
  EXPECT_TRUE(ChooseApi(ReleaseCapabilities("1.37+CPG"), profile).has_composites);
  EXPECT_EQ(ChooseApi(Capabilities(), profile).shape, ApiShape::kNone);
  Capabilities half;
  half.Serve(Workloads("v1alpha2"));  // The group is served, podgroups are not.
  EXPECT_EQ(ChooseApi(half, profile).shape, ApiShape::kNone);
}

TEST(WorkloadApiChoice, PinnedVersionWins) {
  Profile profile;
  profile.options = Yaml("{apiVersion: scheduling.k8s.io/v1alpha3}");
  EXPECT_EQ(ChooseApi(ReleaseCapabilities("1.37"), profile).workloads.version, "v1alpha3");
  EXPECT_EQ(ChooseApi(ReleaseCapabilities("1.35"), profile).shape, ApiShape::kNone);
}

TEST(WorkloadModes, AutoTakesTheFirstThatApplies) {
  EXPECT_EQ(MakePlan(Scaled("1.36")).mode, Mode::kSimple);
  EXPECT_EQ(MakePlan(Base("1.36")).mode, Mode::kFused);
  EXPECT_EQ(MakePlan(Base("1.37")).mode, Mode::kFused);
  EXPECT_EQ(MakePlan(Base("1.37+CPG")).mode, Mode::kComposite);
  EXPECT_EQ(MakePlan(Base("1.36", "{gangMode: Split}")).mode, Mode::kSplit);
}

TEST(WorkloadModes, SplitReportsThatTheRolesAreNotHeldTogether) {
  const GangInput input = Many(2, [](int) { return 1; }, "1.36", "{gangMode: Split}");
  const Translation translation = Translate(input);
  ASSERT_FALSE(translation.refusal);
  EXPECT_EQ(translation.objects.size(), 3u);
  EXPECT_EQ(translation.outcomes.at(0).kind, Outcome::Kind::kDropped);
}

TEST(WorkloadTemplates, EqualGroupsShareWhenThereAreTooMany) {
  const Translation translation =
      Translate(Many(20, [](int i) { return 1 + i % 3; }, "1.36", "{gangMode: Split}"));
  EXPECT_EQ(translation.objects.at(0).object["spec"]["podGroupTemplates"].size(), 3u);
  EXPECT_EQ(translation.objects.size(), 21u);
}

TEST(WorkloadTemplates, NineShapesGoWithoutWorkload) {
  const Translation translation =
      Translate(Many(9, [](int i) { return 1 + i; }, "1.36", "{gangMode: Split}"));
  EXPECT_EQ(translation.objects.size(), 9u);
  EXPECT_EQ(translation.objects.at(0).resource.plural, "podgroups");
  EXPECT_FALSE(translation.objects.at(0).object["spec"].Has("podGroupTemplateRef"));
}

TEST(WorkloadTemplates, NineShapesOn135AreSeveralWorkloads) {
  const GangInput input = Many(9, [](int i) { return 1 + i; }, "1.35", "{gangMode: Split}");
  const Translation translation = Translate(input);
  ASSERT_EQ(translation.objects.size(), 2u);
  EXPECT_EQ(kube::Name(translation.objects[1].object), "llm-0-w1");
  EXPECT_EQ(Pod(input, "many-0-r08", 0)["spec"]["workloadRef"]["name"].AsString(), "llm-0-w1");
}

TEST(WorkloadTemplates, RolesThatShareAnEntryOn135DifferByReplicaKey) {
  const GangInput input = Many(10, [](int) { return 2; }, "1.35", "{gangMode: Split}");
  const Value a = Pod(input, "many-0-r01", 0)["spec"]["workloadRef"];
  const Value b = Pod(input, "many-0-r02", 0)["spec"]["workloadRef"];
  EXPECT_EQ(a["podGroup"], b["podGroup"]);
  EXPECT_NE(a["podGroupReplicaKey"], b["podGroupReplicaKey"]);
}

TEST(WorkloadTemplates, NineShapesInACompositeGoBelowCompositesOfTheirOwn) {
  const Translation translation = Translate(Many(9, [](int i) { return 1 + i; }, "1.37+CPG", "{}"));
  const Value& root = translation.objects.at(0).object["spec"]["compositePodGroupTemplates"].At(0);
  EXPECT_EQ(root["compositePodGroupTemplates"].size(), 2u);
  EXPECT_EQ(root["schedulingPolicy"]["gang"]["minGroupCount"].AsInt(), 2);
  EXPECT_FALSE(root.Has("podGroupTemplates"));
}

TEST(WorkloadComposite, ConfigsBecomeChildComposites) {
  Value gang = ExampleGang(kScheduler);
  gang.Mutable("spec").Set("topologyConstraintGroupConfigs", Yaml(R"(
- name: llm-0-pf-0
  podGroupNames: [llm-0-pf-0-wk]
  topologyConstraint: {packConstraint: {required: kubernetes.io/hostname}}
)"));
  const GangInput input = ExampleInput(gang, kScheduler, ReleaseCapabilities("1.37+CPG"));
  const Translation translation = Translate(input);
  ASSERT_FALSE(translation.refusal) << translation.refusal->message;
  ASSERT_EQ(translation.objects.size(), 5u);
  EXPECT_EQ(translation.objects[2].object["spec"], Yaml(R"(
parentCompositePodGroupName: llm-0
workloadRef: {workloadName: llm-0, templateName: llm-0-pf-0}
schedulingPolicy: {gang: {minGroupCount: 1}}
schedulingConstraints: {topology: [{key: kubernetes.io/hostname}]}
disruptionMode: {all: {}}
priorityClassName: gang-high
)"));
  EXPECT_EQ(translation.objects[1].object["spec"]["schedulingPolicy"]["gang"]["minGroupCount"],
            Value(2));
}

// The first scaled gang of a scaling group has the same name as the config of its first replica.
TEST(WorkloadComposite, ConfigsAreNotCalledLikeGangs) {
  Value gang = ExampleGang(kScheduler);
  gang.Mutable("spec").Set("topologyConstraintGroupConfigs", Yaml(R"(
- name: llm-0-pf-0
  podGroupNames: [llm-0-pf-0-wk]
  topologyConstraint: {packConstraint: {required: kubernetes.io/hostname}}
)"));
  Value scaled = ExampleGang(kScheduler);
  scaled.Mutable("metadata").Set("name", "llm-0-pf-0");
  const Capabilities release = ReleaseCapabilities("1.37+CPG");
  std::set<std::string> roots;
  for (const DesiredObject& object : Translate(ExampleInput(scaled, kScheduler, release)).objects) {
    if (object.resource.kind == "CompositePodGroup") roots.emplace(kube::Name(object.object));
  }
  ASSERT_EQ(roots, std::set<std::string>{"llm-0-pf-0"});
  const Translation base = Translate(ExampleInput(gang, kScheduler, release));
  const Value& config = base.objects.at(2).object;
  EXPECT_FALSE(roots.contains(std::string(kube::Name(config)))) << kube::Name(config);
}

// Every list of templates in a tree, with all their names.
void CollectTemplates(const Value& composite, size_t& longest, std::vector<std::string>& names) {
  names.push_back(composite["name"].ToString());
  longest = std::max({longest, composite["podGroupTemplates"].size(),
                      composite["compositePodGroupTemplates"].size()});
  for (const Value& leaf : composite["podGroupTemplates"].Items()) {
    names.push_back(leaf["name"].ToString());
  }
  for (const Value& child : composite["compositePodGroupTemplates"].Items()) {
    CollectTemplates(child, longest, names);
  }
}

TEST(WorkloadComposite, ManyConfigsGoBelowCompositesOfTheirOwn) {
  // Twenty replicas of a scaling group with nine equal roles each.
  GangInput input = Many(180, [](int) { return 1; }, "1.37+CPG", "{}");
  for (int i = 0; i < 20; ++i) {
    TopologyGroupConfig config{fmt::format("many-0-g-{}", i), {}, {}};
    for (int role = 0; role < 9; ++role) {
      config.pod_group_names.push_back(
          input.gang.pod_groups[static_cast<size_t>(i * 9 + role)].name);
    }
    input.gang.group_configs.push_back(std::move(config));
  }
  const Translation translation = Translate(input);
  ASSERT_FALSE(translation.refusal) << translation.refusal->message;
  size_t longest = 0;
  std::vector<std::string> names;
  const Value& root = translation.objects.at(0).object["spec"]["compositePodGroupTemplates"].At(0);
  CollectTemplates(root, longest, names);
  EXPECT_EQ(root["compositePodGroupTemplates"].size(), 3u);
  EXPECT_EQ(root["schedulingPolicy"]["gang"]["minGroupCount"].AsInt(), 3);
  EXPECT_LE(longest, kMaxTemplates);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_EQ(names.size(), 1u + 3 + 20 + 20);  // Equal roles of a config share a template.
}

// The example without its own priority class; its roles' pods have these.
GangInput WithPodClasses(const std::string& release, const std::string& frontends,
                         const std::string& workers) {
  GangInput input = Base(release);
  input.gang.priority_class_name.clear();
  input.gang.topology = {};
  input.gang.pod_groups[0].pod_spec.Set("priorityClassName", frontends);
  input.gang.pod_groups[1].pod_spec.Set("priorityClassName", workers);
  return input;
}

TEST(WorkloadPriority, IsThatOfThePodsWhereTheGangHasNone) {
  const Translation translation = Translate(WithPodClasses("1.37+CPG", "high", "high"));
  ASSERT_FALSE(translation.refusal) << translation.refusal->message;
  for (const DesiredObject& desired : translation.objects) {
    if (desired.resource.plural == "workloads") continue;
    EXPECT_EQ(desired.object["spec"]["priorityClassName"].AsString(), "high");
  }
}

TEST(WorkloadPriority, MustBeOneFrom137On) {
  const Translation translation = Translate(WithPodClasses("1.37", "high", "low"));
  ASSERT_TRUE(translation.refusal);
  EXPECT_EQ(translation.refusal->reason, reasons::kPriorityMismatch);
  EXPECT_FALSE(Translate(WithPodClasses("1.36", "high", "low")).refusal);
}

TEST(WorkloadModes, AnEmptyConfigIsNone) {
  GangInput input = Scaled("1.37+CPG");
  input.gang.group_configs.push_back({"llm-0-pf-1", {}, {}});
  EXPECT_EQ(MakePlan(input).mode, Mode::kSimple);
}

TEST(WorkloadModes, ARoleWithoutMinimumIsInNoGroupBefore137) {
  for (const std::string release : {"1.35", "1.36"}) {
    const GangInput input = Many(1, [](int) { return 0; }, release, "{}");
    EXPECT_THAT(Translate(input).objects, testing::IsEmpty()) << release;
    const Value pod = Pod(input, "many-0-r00", 0);
    EXPECT_FALSE(pod["spec"].Has("workloadRef") || pod["spec"].Has("schedulingGroup")) << release;
  }
  const GangInput newer = Many(1, [](int) { return 0; }, "1.37", "{}");
  EXPECT_EQ(Translate(newer).objects.at(1).object["spec"]["schedulingPolicy"], Yaml("{basic: {}}"));
}

TEST(WorkloadComposite, GroupsWithoutMinimumAreBasicAndNotCounted) {
  const Translation translation = Translate(Many(2, [](int i) { return i; }, "1.37+CPG", "{}"));
  EXPECT_EQ(translation.objects.at(1).object["spec"]["schedulingPolicy"]["gang"]["minGroupCount"],
            Value(1));
  EXPECT_EQ(translation.objects.at(2).object["spec"]["schedulingPolicy"], Yaml("{basic: {}}"));
}

TEST(WorkloadDra, ClaimTemplatesNeedTheGate) {
  Capabilities without = ReleaseCapabilities("1.37");
  Capabilities fields;
  for (const std::string& served : without.served()) {
    const size_t slash = served.find('/'), last = served.rfind('/');
    fields.Serve({served.substr(0, slash), served.substr(slash + 1, last - slash - 1),
                  served.substr(last + 1), "", true});
  }
  fields.AddField(api::kPods, "spec.schedulingGroup");
  fields.AddField(PodGroups("v1beta1"), "spec.schedulingConstraints");
  GangInput input = Base("1.37");
  input.capabilities = std::make_shared<Capabilities>(fields);
  EXPECT_FALSE(Translate(input).refusal);
  input.gang.pod_groups[0].pod_spec.Set("resourceClaims",
                                        Yaml("[{name: gpu, resourceClaimTemplateName: gpus}]"));
  const Translation translation = Translate(input);
  ASSERT_TRUE(translation.refusal);
  EXPECT_EQ(translation.refusal->reason, reasons::kCapabilityMissing);
  EXPECT_THAT(translation.refusal->message, testing::HasSubstr("DRAWorkloadResourceClaims"));
}

TEST(WorkloadRelease, ReleasedMinimumStaysOrBecomesOne) {
  GangInput old = Base("1.36");
  for (PodGroupInfo& group : old.gang.pod_groups) group.min_replicas = 0;
  EXPECT_EQ(Translate(old).objects.at(1).object["spec"]["schedulingPolicy"]["gang"]["minCount"],
            Value(6));
  GangInput recent = Scaled("1.37");
  recent.gang.pod_groups[0].min_replicas = 0;
  EXPECT_EQ(Translate(recent).objects.at(1).object["spec"]["schedulingPolicy"]["gang"]["minCount"],
            Value(1));
}

TEST(WorkloadSignals, GroupConditionsGiveTheReason) {
  const GangInput input = Base("1.36");
  const WorkloadBackend backend;
  const std::vector<Value> objects = {Yaml("{kind: Workload}"), Yaml(R"(
kind: PodGroup
status:
  conditions:
  - {type: PodGroupScheduled, status: "False", reason: Unschedulable, message: no room}
  - {type: DisruptionTarget, status: "True", reason: PreemptionByScheduler}
)")};
  const Signals signals = backend.ReadSignals(input, objects, {});
  EXPECT_EQ(signals.unschedulable_reason, "Unschedulable");
  EXPECT_EQ(signals.unschedulable_message, "no room");
  EXPECT_EQ(signals.disruption_reason, "PreemptionByScheduler");
}

TEST(WorkloadSignals, PodsGiveTheReasonOn135) {
  const GangInput input = Base("1.35");
  const std::vector<Value> pods = {
      Yaml("{status: {conditions: [{type: PodScheduled, status: 'False', reason: "
           "SchedulingGated}]}}"),
      Yaml("{status: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, "
           "message: 0/3 nodes}]}}")};
  const Signals signals = WorkloadBackend().ReadSignals(input, {}, pods);
  EXPECT_EQ(signals.unschedulable_reason, "Unschedulable");
  EXPECT_EQ(signals.unschedulable_message, "0/3 nodes");
}

TEST(WorkloadCompatibility, UpstreamWritesNothing) {
  GangInput input = Base("1.35");
  input.policy = &CompatibilityPolicy::Grove();
  EXPECT_TRUE(Translate(input).objects.empty());
  const Value pod = Pod(input, "llm-0-fe", 0);
  EXPECT_EQ(pod["spec"]["schedulingGates"].At(0)["name"].AsString(),
            "grove.io/podgang-pending-creation");
  EXPECT_FALSE(pod["spec"].Has("workloadRef"));
  EXPECT_FALSE(pod["spec"].Has("priorityClassName"));
}

}  // namespace
}  // namespace coppice::backends::workload
