// The translations of docs/behaviour/backends.md, property by property, on servers with the
// schedulers' real CRDs: how one property of a gang appears in its scheduler's object and on its
// pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/kueue/kueue.h"
#include "backends/model/fields.h"
#include "backends/tests/example_testing.h"
#include "backends/workload/api_choice.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;
using workload::CompositePodGroups;
using workload::PodGroups;
using workload::Workloads;

struct Row {
  std::string name;
  std::string scheduler;
  std::vector<std::string> projects;
  std::string gang;      // Merged into the example's gang.
  std::string options;   // Of the profile.
  api::Resource kind;    // The object to check, and
  std::string object;    // its name; UID is replaced by the gang's.
  std::string expected;  // What it must contain; "" if it must not exist.
  std::string pod = "";  // What pod w0-a must contain.
  std::string synced = "True";
  std::string kubernetes = "1.35";
};

const api::Resource kKoordinatorGroups{"scheduling.sigs.k8s.io", "v1alpha1", "podgroups",
                                       "PodGroup", true};
const api::Resource kVolcanoGroups{"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup",
                                   true};
const api::Resource kPluginGroups{"scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup", true};

const std::string kNoTopology = "topologyConstraint: null";
const std::string kFe =
    "{name: llm-0-fe, minReplicas: 2, podReferences: [{namespace: ai, name: fe-a}, {namespace: "
    "ai, name: fe-b}]}";

// The worker role, with additional fields.
std::string Workers(const std::string& more, int minimum = 4) {
  return "{name: llm-0-pf-0-wk, minReplicas: " + std::to_string(minimum) +
         ", podReferences: [{namespace: ai, name: w0-a}, {namespace: ai, name: w0-b}, {namespace: "
         "ai, name: w0-c}, {namespace: ai, name: w0-d}]" +
         (more.empty() ? "" : ", ") + more + "}";
}

std::string Spec(const std::string& gang_constraint, const std::string& workers,
                 const std::string& more = "") {
  return "{spec: {" + gang_constraint + ", podgroups: [" + kFe + ", " + workers + "]" +
         (more.empty() ? "" : ", ") + more + "}}";
}

const std::string kRackRequired =
    "topologyConstraint: {packConstraint: {required: topology.kubernetes.io/rack}}";
const std::string kRackPreferred =
    "topologyConstraint: {packConstraint: {required: null, preferred: "
    "topology.kubernetes.io/rack}}";
const std::string kConfig =
    "topologyConstraintGroupConfigs: [{name: llm-0-pf-0, podGroupNames: [llm-0-pf-0-wk], "
    "topologyConstraint: {packConstraint: {required: topology.kubernetes.io/rack}}}]";

std::vector<Row> KaiRows() {
  const std::string name = "pg-llm-0-UID", kai = "kai-scheduler";
  const std::vector<std::string> crds = {"kai"};
  return {
      {"kaiSumOfMinima", kai, crds, Spec(kNoTopology, Workers("", 3)), "", api::kPodGroups, name,
       "{spec: {minMember: 5, subGroups: [{name: llm-0-fe, minMember: 2}, {name: llm-0-pf-0-wk, "
       "minMember: 3}]}}",
       "{spec: {schedulerName: kai-scheduler, schedulingGates: [{name: grove.io/podgang}]}, "
       "metadata: {annotations: {kai.scheduler/skip-podgrouper: 'true'}, labels: "
       "{kai.scheduler/subgroup-name: llm-0-pf-0-wk}}}"},
      {"kaiConfigs", kai, crds, Spec(kNoTopology, Workers(""), kConfig), "", api::kPodGroups, name,
       "{spec: {subGroups: [{name: llm-0-pf-0, minSubGroup: 1, topologyConstraint: {topology: dc1, "
       "requiredTopologyLevel: topology.kubernetes.io/rack}}, {name: llm-0-fe, minMember: 2}, "
       "{name: llm-0-pf-0-wk, parent: llm-0-pf-0, minMember: 4}]}}"},
      {"kaiGangPreferred", kai, crds, Spec(kRackPreferred, Workers("")), "", api::kPodGroups, name,
       "{spec: {topologyConstraint: {topology: dc1, preferredTopologyLevel: "
       "topology.kubernetes.io/rack}}}"},
      {"kaiGroupRequired", kai, crds, Spec(kNoTopology, Workers(kRackRequired)), "",
       api::kPodGroups, name,
       "{spec: {subGroups: [{name: llm-0-fe}, {name: llm-0-pf-0-wk, topologyConstraint: {topology: "
       "dc1, requiredTopologyLevel: topology.kubernetes.io/rack}}]}}"},
      {"kaiWithoutTopologyName", kai, crds,
       "{metadata: {annotations: {grove.io/topology-name: null}}}", "", api::kPodGroups, name, "",
       "", "False TopologyUnresolved"},
      {"kaiPriority", kai, crds, "{}", "", api::kPodGroups, name,
       "{spec: {priorityClassName: gang-high}}", "{spec: {priorityClassName: gang-high}}"},
      {"kaiQueueAndKeys", kai, crds,
       "{metadata: {labels: {kai.scheduler/queue: team-a, kai.scheduler/preemptibility: "
       "non-preemptible}, annotations: {note: kept}}}",
       "", api::kPodGroups, name,
       "{metadata: {annotations: {note: kept}}, spec: {queue: team-a, preemptibility: "
       "non-preemptible}}"},
      {"kaiReleased", kai, crds, Spec(kNoTopology, Workers("", 0)), "", api::kPodGroups, name,
       "{spec: {stalenessGracePeriod: -1s, subGroups: [{name: llm-0-fe, minMember: 2}, {name: "
       "llm-0-pf-0-wk, minMember: 4}]}}"},
  };
}

std::vector<Row> KoordinatorRows() {
  const std::string koord = "koord-scheduler", name = "llm-0-pf-0-wk";
  const std::vector<std::string> crds = {"koordinator"};
  return {
      {"koordinatorMinimum", koord, crds, Spec(kNoTopology, Workers("", 3)), "", kKoordinatorGroups,
       name,
       "{metadata: {annotations: {gang.scheduling.koordinator.sh/groups: "
       "'[\"ai/llm-0-fe\",\"ai/llm-0-pf-0-wk\"]'}}, spec: {minMember: 3}}",
       "{metadata: {labels: {pod-group.scheduling.sigs.k8s.io: llm-0-pf-0-wk, "
       "quota.scheduling.koordinator.sh/name: team-a}}, spec: {priorityClassName: gang-high, "
       "schedulingGates: [{name: scheduling.koordinator.sh/gang}]}}"},
      {"koordinatorGangPreferred", koord, crds, Spec(kRackPreferred, Workers("")), "",
       kKoordinatorGroups, name,
       "{metadata: {annotations: {gang.scheduling.koordinator.sh/network-topology-spec: "
       "'{\"gatherStrategy\":[{\"layer\":\"rack\",\"strategy\":\"PreferGather\"}]}'}}}"},
      {"koordinatorGroupRequired", koord, crds, Spec(kNoTopology, Workers(kRackRequired)), "",
       kKoordinatorGroups, name, "", "", "False CapabilityMissing"},
      {"koordinatorTimeout", koord, crds, Spec(kNoTopology, Workers("")),
       "scheduleTimeoutSeconds: 90", kKoordinatorGroups, name,
       "{spec: {scheduleTimeoutSeconds: 90}}"},
  };
}

std::vector<Row> VolcanoRows() {
  const std::string volcano = "volcano", name = "llm-0";
  const std::vector<std::string> crds = {"volcano"};
  return {
      {"volcanoMinima", volcano, crds, Spec(kNoTopology, Workers("", 3)), "", kVolcanoGroups, name,
       "{spec: {minMember: 5, queue: team-a, priorityClassName: gang-high, subGroupPolicy: [{name: "
       "llm-0-fe, subGroupSize: 2, minSubGroups: 1}, {name: llm-0-pf-0-wk, subGroupSize: 3, "
       "minSubGroups: 1, matchLabelKeys: [grove.io/podclique]}]}}",
       "{metadata: {annotations: {scheduling.k8s.io/group-name: llm-0, "
       "scheduling.volcano.sh/group-name: llm-0, volcano.sh/task-spec: llm-0-pf-0-wk}}, spec: "
       "{schedulerName: volcano, schedulingGates: [{name: grove.io/podgang}]}}"},
      {"volcanoGangPreferred", volcano, crds, Spec(kRackPreferred, Workers("")), "", kVolcanoGroups,
       name, "{spec: {networkTopology: {mode: soft}}}"},
      {"volcanoGroupRequired", volcano, crds, Spec(kNoTopology, Workers(kRackRequired)), "",
       kVolcanoGroups, name,
       "{spec: {subGroupPolicy: [{name: llm-0-fe}, {name: llm-0-pf-0-wk, networkTopology: {mode: "
       "hard, highestTierName: topology.kubernetes.io/rack}}]}}"},
      {"volcanoConfigs", volcano, crds, Spec(kNoTopology, Workers(""), kConfig), "", kVolcanoGroups,
       name,
       "{spec: {minTaskMember: {llm-0-pf-0-wk: 4}, subGroupPolicy: [{labelSelector: {matchLabels: "
       "{grove.io/podcliquescalinggroup: llm-0-pf}}, matchLabelKeys: "
       "[grove.io/podcliquescalinggroup-replica-index], subGroupSize: 4, minSubGroups: 1, "
       "networkTopology: {mode: hard, highestTierName: topology.kubernetes.io/rack}}, {name: "
       "llm-0-fe}]}}"},
      {"volcanoPreemptable", volcano, crds,
       "{metadata: {annotations: {volcano.sh/preemptable: 'true'}}}", "", kVolcanoGroups, name,
       "{metadata: {annotations: {volcano.sh/preemptable: 'true'}}}",
       "{metadata: {annotations: {volcano.sh/preemptable: 'true'}}}"},
      {"volcanoHostHasNoTier", volcano, crds,
       Spec("topologyConstraint: {packConstraint: {required: kubernetes.io/hostname}}",
            Workers("")),
       "", kVolcanoGroups, name, "", "", "False"},
  };
}

std::vector<Row> KubernetesRows() {
  const std::string kube = "default-scheduler";
  const auto row = [&](std::string name, std::string release, std::string gang, api::Resource kind,
                       std::string object, std::string expected, std::string pod = "",
                       std::string synced = "True") {
    return Row{std::move(name),
               kube,
               {},
               std::move(gang),
               "",
               std::move(kind),
               std::move(object),
               std::move(expected),
               std::move(pod),
               std::move(synced),
               std::move(release)};
  };
  const std::string one_role = "{spec: {podgroups: [" + Workers("") + "]}}";
  return {
      row("kubernetes135Fused", "1.35", Spec(kNoTopology, Workers("")), Workloads("v1alpha1"),
          "llm-0",
          "{spec: {controllerRef: {apiGroup: scheduler.grove.io, kind: PodGang, name: llm-0}, "
          "podGroups: [{name: gang, policy: {gang: {minCount: 6}}}, {name: surplus, policy: "
          "{basic: {}}}]}}",
          "{spec: {workloadRef: {name: llm-0, podGroup: gang}, priorityClassName: gang-high, "
          "schedulingGates: [{name: scheduling.k8s.io/workload}]}}"),
      row("kubernetes135Required", "1.35", "{}", Workloads("v1alpha1"), "llm-0", "", "",
          "False CapabilityMissing"),
      row("kubernetes135Simple", "1.35",
          "{spec: {" + kNoTopology + ", podgroups: [" + Workers("") + "]}}", Workloads("v1alpha1"),
          "llm-0", "{spec: {podGroups: [{name: llm-0-pf-0-wk, policy: {gang: {minCount: 4}}}]}}",
          "{spec: {workloadRef: {name: llm-0, podGroup: llm-0-pf-0-wk}}}"),
      row("kubernetes136Simple", "1.36", one_role, PodGroups("v1alpha2"), "llm-0-pf-0-wk",
          "{spec: {schedulingPolicy: {gang: {minCount: 4}}, schedulingConstraints: {topology: "
          "[{key: topology.kubernetes.io/rack}]}, disruptionMode: PodGroup, priorityClassName: "
          "gang-high}}",
          "{spec: {schedulingGroup: {podGroupName: llm-0-pf-0-wk}}}"),
      row("kubernetes136GroupRequired", "1.36", Spec(kNoTopology, Workers(kRackRequired)),
          PodGroups("v1alpha2"), "llm-0", "", "", "False CapabilityMissing"),
      row("kubernetes137Config", "1.37", Spec(kNoTopology, Workers(""), kConfig),
          CompositePodGroups(), "llm-0-pf-0-config",
          "{spec: {schedulingPolicy: {gang: {minGroupCount: 1}}, schedulingConstraints: {topology: "
          "[{key: topology.kubernetes.io/rack}]}, disruptionMode: {all: {}}}}"),
      row("kubernetes137GroupRequired", "1.37", Spec(kNoTopology, Workers(kRackRequired)),
          PodGroups("v1beta1"), "llm-0-pf-0-wk",
          "{spec: {parentCompositePodGroupName: llm-0, schedulingConstraints: {topology: [{key: "
          "topology.kubernetes.io/rack}]}}}",
          "{spec: {schedulingGroup: {podGroupName: llm-0-pf-0-wk}}}"),
      row("kubernetes137Root", "1.37", Spec(kNoTopology, Workers("")), CompositePodGroups(),
          "llm-0", "{spec: {schedulingPolicy: {gang: {minGroupCount: 2}}}}"),
  };
}

std::vector<Row> OtherRows() {
  const std::string plugins = "scheduler-plugins-scheduler";
  return {
      {"pluginsSums",
       plugins,
       {"scheduler-plugins"},
       Spec(kNoTopology, Workers("")),
       "",
       kPluginGroups,
       "llm-0",
       "{spec: {minMember: 6, minResources: {cpu: '36', memory: 264Gi, nvidia.com/gpu: '32'}}}",
       "{metadata: {labels: {scheduling.x-k8s.io/pod-group: llm-0}}, spec: {priorityClassName: "
       "gang-high, schedulingGates: [{name: grove.io/podgang}]}}"},
      {"pluginsRequired",
       plugins,
       {"scheduler-plugins"},
       "{}",
       "",
       kPluginGroups,
       "llm-0",
       "",
       "",
       "False CapabilityMissing"},
      {"pluginsAffinity",
       plugins,
       {"scheduler-plugins"},
       "{}",
       "topology: {requiredGang: PodAffinity}",
       kPluginGroups,
       "llm-0",
       "{spec: {minMember: 6}}",
       "{spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "[{topologyKey: topology.kubernetes.io/rack, labelSelector: {matchLabels: "
       "{grove.io/podgang: llm-0}}}]}}}}"},
      {"yunikornMinima",
       "yunikorn",
       {},
       Spec(kNoTopology, Workers("")),
       "",
       api::kPodGangs,
       "llm-0",
       "{metadata: {name: llm-0}}",
       "{metadata: {labels: {yunikorn.apache.org/queue: root.team-a}, annotations: "
       "{yunikorn.apache.org/task-group-name: llm-0-pf-0-wk, "
       "yunikorn.apache.org/schedulingPolicyParameters: placeholderTimeoutInSeconds=900 "
       "gangSchedulingStyle=Hard}}, spec: {schedulerName: yunikorn, schedulingGates: [{name: "
       "grove.io/podgang}]}}"},
      {"yunikornRequired",
       "yunikorn",
       {},
       "{}",
       "",
       api::kPodGangs,
       "llm-0",
       "{metadata: {name: llm-0}}",
       "",
       "False CapabilityMissing"},
      {"podgangItself",
       "grove-scheduler",
       {},
       "{}",
       "",
       api::kPodGangs,
       "llm-0",
       "{spec: {topologyConstraint: {packConstraint: {required: topology.kubernetes.io/rack}}}}",
       "{spec: {schedulerName: grove-scheduler, schedulingGates: [{name: grove.io/podgang}]}}"},
      {"kueueQuota",
       "kai-scheduler",
       {"kai", "kueue"},
       Spec(kNoTopology, Workers("")),
       "admission: kueue",
       kueue::Workloads("v1beta2"),
       "podgang-llm-0",
       "{metadata: {labels: {kueue.x-k8s.io/job-uid: UID}}, spec: {queueName: team-a, priority: "
       "1000, priorityClassRef: {group: scheduling.k8s.io, kind: PriorityClass, name: gang-high}, "
       "podSets: [{name: llm-0-fe, count: 2}, {name: llm-0-pf-0-wk, count: 4}]}}"},
      {"kueueGroupPreferred",
       "kai-scheduler",
       {"kai", "kueue"},
       Spec(kNoTopology, Workers("topologyConstraint: {packConstraint: {preferred: "
                                 "topology.kubernetes.io/rack}}")),
       "admission: kueue",
       kueue::Workloads("v1beta2"),
       "podgang-llm-0",
       "{spec: {podSets: [{name: llm-0-fe}, {name: llm-0-pf-0-wk, topologyRequest: {preferred: "
       "topology.kubernetes.io/rack}}]}}"},
      {"kueueRackRejected",
       "kai-scheduler",
       {"kai", "kueue"},
       "{}",
       "admission: kueue, kueueTopology: Reject",
       kueue::Workloads("v1beta2"),
       "podgang-llm-0",
       "",
       "",
       "False CapabilityMissing"},
  };
}

std::vector<Row> AllRows() {
  std::vector<Row> rows;
  for (const auto& part :
       {KaiRows(), KoordinatorRows(), VolcanoRows(), KubernetesRows(), OtherRows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

class MappingTable : public testing::TestWithParam<Row> {
 protected:
  void Expect(const Value& live, const std::string& expected) {
    std::string difference;
    EXPECT_TRUE(HasAll(live, Yaml(expected), &difference)) << "differs at " << difference << ":\n"
                                                           << json::Write(live);
  }
};

std::string WithUid(std::string text, const std::string& uid) {
  const size_t at = text.find("UID");
  return at == std::string::npos ? text : text.replace(at, 3, uid);
}

TEST_P(MappingTable, Holds) {
  const Row& row = GetParam();
  std::vector<std::string> projects = {"grove"};
  projects.insert(projects.end(), row.projects.begin(), row.projects.end());
  World world({.kubernetes_version = row.kubernetes,
               .projects = projects,
               .config = "{scheduler: {profiles: [{name: " + row.scheduler + ", config: {" +
                         row.options + "}}]}}"});
  if (row.scheduler == "volcano") OpenQueue(world, "team-a");
  Example example(world, row.scheduler, Yaml(row.gang));
  ASSERT_TRUE(world.backends->SyncTopology(world.Get(api::kClusterTopologyBindings, "", "dc1")));
  world.RunFor(std::chrono::seconds(30));
  if (row.synced.starts_with("True")) example.CreatePods();
  EXPECT_THAT(example.Synced(), testing::StartsWith(row.synced));
  const std::string uid(kube::Uid(example.Gang()));
  const std::string name = WithUid(row.object, uid);
  if (row.expected.empty()) {
    EXPECT_FALSE(world.Exists(row.kind, "ai", name));
  } else {
    Expect(world.Get(row.kind, "ai", name), WithUid(row.expected, uid));
  }
  if (!row.pod.empty()) Expect(world.Get(api::kPods, "ai", "w0-a"), row.pod);
}

INSTANTIATE_TEST_SUITE_P(Rows, MappingTable, testing::ValuesIn(AllRows()),
                         [](const testing::TestParamInfo<Row>& each) { return each.param.name; });

}  // namespace
}  // namespace coppice::backends
