#include "services/grouper/controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/client/intercepted_client.h"
#include "kube/metrics.h"
#include "kube/object.h"
#include "services/test_cluster_testing.h"

// The grouper against an API server: owners, writes, what it leaves alone.
namespace coppice::services::grouper {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const api::Resource kWidgets{"example.com", "v1", "widgets", "Widget", true};

// Refuses to read what the test forbids, and counts writes of groups.
class Gatekeeper final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  std::string forbidden;  // A resource.
  int conflicts = 0;      // So many updates of groups come too late.
  int group_writes = 0;

 protected:
  base::Status Before(const kube::Call& call) override {
    if (!forbidden.empty() && !call.writes() && call.resource.plural == forbidden) {
      return base::Error(base::ErrorCode::kForbidden, "no " + forbidden + " for you");
    }
    if (call.verb == kube::Verb::kUpdate && call.resource == api::kPodGroups && conflicts > 0) {
      --conflicts;
      return base::Conflict("someone was faster");
    }
    group_writes += call.writes() && call.resource == api::kPodGroups;
    return {};
  }
};

class GrouperTest : public ::testing::Test {
 protected:
  GrouperTest() {
    const base::Status installed = cluster.server->InstallCrd(Doc(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
)"));
    EXPECT_TRUE(installed);
    cluster.AddPriorityClasses();
  }
  void Start(Options options = {}) {
    gate = std::make_unique<Gatekeeper>(cluster.client());
    manager = kube::Manager::Make(*gate, cluster.stepper);
    AddToManager(*manager, std::move(options));
    manager->Start();
    cluster.Settle();
  }
  ~GrouperTest() override { manager.reset(); }

  json::Value AddWidget(std::string_view name, std::string_view metadata = "") {
    return cluster.Create(kWidgets,
                          fmt::format("{{apiVersion: example.com/v1, kind: Widget, metadata: "
                                      "{{name: {}, namespace: default{}}}}}",
                                      name, metadata.empty() ? "" : ", " + std::string(metadata)));
  }
  static std::string OwnerOf(const json::Value& object) {
    return fmt::format("ownerReferences: [{{apiVersion: {}, kind: {}, name: {}, uid: {}}}]",
                       object["apiVersion"].AsString(), kube::Kind(object), kube::Name(object),
                       kube::Uid(object));
  }
  json::Value AddOwned(std::string_view name, const json::Value& owner,
                       std::string_view metadata = "") {
    return AddRaw(name, OwnerOf(owner) + (metadata.empty() ? "" : ", " + std::string(metadata)));
  }
  json::Value AddRaw(std::string_view name, std::string_view metadata) {
    return cluster.Create(api::kPods,
                          fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, "
                                      "namespace: default{}}}, spec: {{schedulerName: "
                                      "kai-scheduler, containers: [{{name: c, image: i}}]}}}}",
                                      name, metadata.empty() ? "" : ", " + std::string(metadata)));
  }
  std::string GroupOf(std::string_view pod) {
    return std::string(kube::Annotation(cluster.Get(api::kPods, pod), "pod-group-name"));
  }
  std::vector<json::Value> Groups() { return cluster.List(api::kPodGroups, "default"); }
  std::vector<std::string> Warnings(std::string_view pod) { return cluster.EventsOf("Pod", pod); }

  // Without garbage collection, which would see to bad owners before the grouper does.
  TestCluster cluster{1, "1.35", false};
  std::unique_ptr<Gatekeeper> gate;
  std::unique_ptr<kube::Manager> manager;
};

TEST_F(GrouperTest, TheTopOwnerNamesTheGroup) {
  Start();
  const json::Value top = AddWidget("top", "labels: {a: b}, annotations: {c: d}");
  const json::Value middle = AddWidget("middle", OwnerOf(top));
  AddOwned("p1", middle, "labels: {user: me}");
  AddOwned("p2", middle);
  cluster.Settle();
  const std::string name = fmt::format("pg-top-{}", kube::Uid(top));
  EXPECT_EQ(GroupOf("p1"), name);
  EXPECT_EQ(GroupOf("p2"), name);
  ASSERT_EQ(Groups().size(), 1);
  const json::Value group = Groups().front();
  EXPECT_EQ(kube::Label(group, "a"), "b");
  EXPECT_EQ(kube::Annotation(group, "c"), "d");
  EXPECT_EQ(kube::Annotation(group, "kai.scheduler/top-owner-metadata"),
            fmt::format("name: top\nuid: {}\ngroup: example.com\nversion: v1\nkind: Widget\n",
                        kube::Uid(top)));
  const json::Value& owner = group["metadata"]["ownerReferences"].At(0);
  EXPECT_EQ(owner["kind"].AsString(), "Widget");
  EXPECT_FALSE(owner.Has("controller"));
  EXPECT_EQ(group["spec"]["minMember"].AsInt(), 1);
  EXPECT_EQ(group["spec"]["queue"].AsString(), "default-queue");
  EXPECT_EQ(group["spec"]["priorityClassName"].AsString(), "train");
}

TEST_F(GrouperTest, SkippedPodsAndOwnersAreLeftAlone) {
  Start();
  const char* skip = "annotations: {kai.scheduler/skip-podgrouper: 'true'}";
  AddRaw("pod", skip);
  const json::Value top = AddWidget("top", skip);
  AddOwned("of-top", top);
  const json::Value free = AddWidget("free");
  AddOwned("of-middle", AddWidget("middle", OwnerOf(free) + ", " + skip));
  AddOwned("counts", free, "annotations: {kai.scheduler/skip-podgrouper: 'false'}");
  cluster.Settle();
  EXPECT_EQ(GroupOf("pod"), "");
  EXPECT_EQ(GroupOf("of-top"), "");
  EXPECT_EQ(GroupOf("of-middle"), "");
  EXPECT_NE(GroupOf("counts"), "");
}

TEST_F(GrouperTest, OrphansWithAGroupBelongToOthers) {
  Start();
  AddRaw("p", "annotations: {pod-group-name: mine}");
  cluster.Settle();
  EXPECT_EQ(GroupOf("p"), "mine");
  EXPECT_THAT(Groups(), IsEmpty());
}

TEST_F(GrouperTest, OwnersThatCannotBeTrustedAreErrors) {
  Start();
  const json::Value widget = AddWidget("w");
  AddRaw("replaced",
         "ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: w, uid: old}]");
  AddRaw("gone", "ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: x, uid: x}]");
  const json::Value two = AddWidget(
      "two",
      fmt::format(
          "ownerReferences: [{{apiVersion: example.com/v1, kind: Widget, name: w, uid: {0}}}, "
          "{{apiVersion: example.com/v1, kind: Widget, name: v, uid: other}}]",
          kube::Uid(widget)));
  AddOwned("of-two", two);
  cluster.Settle(std::chrono::seconds(2));
  for (const char* pod : {"replaced", "gone", "of-two"}) {
    EXPECT_THAT(Warnings(pod), Contains(HasSubstr("PodGrouperWarning"))) << pod;
    EXPECT_EQ(GroupOf(pod), "") << pod;
  }
  EXPECT_THAT(Warnings("gone"),
              Contains(HasSubstr("failed to find Widget: <default/x>, uid: <x>: ")));
  EXPECT_THAT(Warnings("of-two"), Contains(HasSubstr("multiple owners")));
}

// Without admission nobody else says why such a pod has no GPU.
TEST_F(GrouperTest, UnreadableGpuRequestsAreTold) {
  Start();
  AddRaw("memory", "annotations: {gpu-memory: 1Gi}");
  AddRaw("fraction", "annotations: {gpu-fraction: 500m}");
  AddRaw("good", "annotations: {gpu-fraction: '0.5'}");
  cluster.Settle(std::chrono::seconds(2));
  EXPECT_THAT(Warnings("memory"), Contains(HasSubstr("gpu-memory annotation value must be")));
  EXPECT_THAT(Warnings("fraction"), Contains(HasSubstr("InvalidGpuRequest")));
  EXPECT_THAT(Warnings("good"), ::testing::IsEmpty());
}

TEST_F(GrouperTest, ACycleOfOwnersEnds) {
  Start();
  const json::Value a = AddWidget("a");
  const json::Value b = AddWidget("b", OwnerOf(a));
  ASSERT_TRUE(cluster.client().Patch(kWidgets, {"default", "a"}, kube::PatchType::kMerge,
                                     Doc("metadata: {" + OwnerOf(b) + "}")));
  AddOwned("p", b);
  AddRaw("other", "");
  cluster.Settle(std::chrono::seconds(2));
  EXPECT_THAT(Warnings("p"), Contains(HasSubstr("PodGrouperWarning")));
  EXPECT_NE(GroupOf("other"), "");
}

TEST_F(GrouperTest, ForbiddenOwnersDegrade) {
  Start();
  gate->forbidden = "widgets";
  const json::Value widget = AddWidget("w");
  const json::Value pod = AddOwned("p", widget);
  cluster.Settle();
  EXPECT_EQ(GroupOf("p"), fmt::format("pg-p-{}", kube::Uid(pod)));
  EXPECT_THAT(Warnings("p"), IsEmpty());
}

TEST_F(GrouperTest, QueueByOwnerThenPodThenProject) {
  Start();
  const auto queue = [&](std::string_view owner, std::string_view pod) {
    static int count = 0;
    const std::string name = fmt::format("q{}", ++count);
    const json::Value widget = AddWidget(name, fmt::format("labels: {{{}}}", owner));
    AddOwned(name, widget, fmt::format("labels: {{{}}}", pod));
    cluster.Settle();
    return cluster.Get(api::kPodGroups, GroupOf(name))["spec"]["queue"].ToString();
  };
  EXPECT_EQ(queue("kai.scheduler/queue: owners", "kai.scheduler/queue: pods"), "owners");
  EXPECT_EQ(queue("", "kai.scheduler/queue: pods, project: p"), "pods");
  EXPECT_EQ(queue("project: a", "project: b"), "a");
  EXPECT_EQ(queue("project: ''", "project: b"), "default-queue");
  EXPECT_EQ(queue("", "project: b, kai.scheduler/node-pool: np"), "b-np");
  EXPECT_EQ(queue("", ""), "default-queue");
}

TEST_F(GrouperTest, APodIsLookedAtAgainOnlyWhenItsGroupMayChange) {
  Start();
  const auto looked = [&] {
    cluster.Settle();
    const std::string text = manager->runtime().metrics.Text();
    const std::string line = "reconcile_total{controller=\"pod-grouper\",result=\"success\"} ";
    const size_t at = text.find(line);
    return at == text.npos ? 0 : std::stoi(text.substr(at + line.size()));
  };
  cluster.AddNode("n1", 1);
  AddRaw("p", "");
  EXPECT_EQ(looked(), 1);
  ASSERT_TRUE(cluster.client().Create(
      api::kPods,
      Doc("{apiVersion: v1, kind: Binding, metadata: {name: p, namespace: default}, "
          "target: {kind: Node, name: n1}}"),
      {.subresource = "binding"}));
  ASSERT_TRUE(cluster.client().Patch(api::kPods, {"default", "p"}, kube::PatchType::kMerge,
                                     Doc("status: {phase: Running}"), {.subresource = "status"}));
  EXPECT_EQ(looked(), 1);
  ASSERT_TRUE(cluster.client().Patch(api::kPods, {"default", "p"}, kube::PatchType::kMerge,
                                     Doc("metadata: {annotations: {pod-group-name: other}}")));
  EXPECT_EQ(looked(), 2);
  AddRaw("leader", "labels: {leaderworkerset.sigs.k8s.io/worker-index: '0'}");
  EXPECT_EQ(looked(), 3);
  ASSERT_TRUE(cluster.client().Create(
      api::kPods,
      Doc("{apiVersion: v1, kind: Binding, metadata: {name: leader, namespace: default}, "
          "target: {kind: Node, name: n1}}"),
      {.subresource = "binding"}));
  EXPECT_EQ(looked(), 4);
}

TEST_F(GrouperTest, AnExistingGroupKeepsWhatOthersOwn) {
  Start();
  const json::Value widget = AddWidget("w", "labels: {kai.scheduler/queue: one}");
  AddOwned("p1", widget, "labels: {kai.scheduler/node-pool: a}");
  cluster.Settle();
  const std::string name = GroupOf("p1");
  ASSERT_TRUE(cluster.client().Patch(
      api::kPodGroups, {"default", name}, kube::PatchType::kMerge,
      Doc("{metadata: {labels: {mine: x}}, spec: {markUnschedulable: true, schedulingBackoff: 1,"
          " topologyConstraint: {topology: t, requiredTopologyLevel: rack}}}")));
  ASSERT_TRUE(
      cluster.client().Patch(kWidgets, {"default", "w"}, kube::PatchType::kMerge,
                             Doc("metadata: {labels: {kai.scheduler/queue: two, new: z}}")));
  AddOwned("p2", widget, "labels: {kai.scheduler/node-pool: b}");
  cluster.Settle();
  const json::Value group = cluster.Get(api::kPodGroups, name);
  EXPECT_EQ(group["spec"]["queue"].AsString(), "one");
  EXPECT_TRUE(group["spec"]["markUnschedulable"].AsBool());
  EXPECT_EQ(group["spec"]["schedulingBackoff"].AsInt(), 1);
  EXPECT_EQ(group["spec"]["topologyConstraint"]["topology"].AsString(), "t");
  EXPECT_EQ(kube::Label(group, "kai.scheduler/node-pool"), "a");
  EXPECT_EQ(kube::Label(group, "mine"), "x");
  EXPECT_EQ(kube::Label(group, "new"), "z");
}

TEST_F(GrouperTest, AConflictIsTriedAgainWithoutAWord) {
  Start();
  const json::Value widget = AddWidget("w");
  AddOwned("p1", widget);
  cluster.Settle();
  gate->conflicts = 2;
  ASSERT_TRUE(cluster.client().Patch(kWidgets, {"default", "w"}, kube::PatchType::kMerge,
                                     Doc("metadata: {labels: {new: z}}")));
  AddOwned("p2", widget);
  cluster.Settle();
  EXPECT_EQ(gate->conflicts, 0);
  EXPECT_EQ(kube::Label(cluster.Get(api::kPodGroups, GroupOf("p2")), "new"), "z");
  EXPECT_THAT(Warnings("p2"), IsEmpty());
}

// Only the pod that is looked at is written: its siblings may be another scheduler's.
TEST_F(GrouperTest, SiblingsOfAnotherSchedulerAreNotAssigned) {
  Start();
  const json::Value widget = AddWidget("w");
  AddOwned("ours", widget);
  cluster.Create(api::kPods,
                 fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: theirs, namespace: "
                             "default, {}}}, spec: {{schedulerName: other, containers: [{{name: c, "
                             "image: i}}]}}}}",
                             OwnerOf(widget)));
  cluster.Settle();
  EXPECT_NE(GroupOf("ours"), "");
  const json::Value theirs = cluster.Get(api::kPods, "theirs");
  EXPECT_FALSE(theirs["metadata"].Has("annotations"));
  EXPECT_FALSE(theirs["metadata"].Has("labels"));
}

TEST_F(GrouperTest, NothingChangesNothingIsWritten) {
  Start();
  const json::Value widget = AddWidget("w");
  for (int i = 0; i < 5; ++i) AddOwned(fmt::format("p{}", i), widget);
  cluster.Settle();
  const int writes = gate->group_writes;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(cluster.client().Patch(api::kPods, {"default", fmt::format("p{}", i)},
                                       kube::PatchType::kMerge, Doc("metadata: {labels: {x: z}}")));
  }
  cluster.Settle();
  EXPECT_EQ(gate->group_writes, writes);
  EXPECT_THAT(
      cluster.Get(api::kPods, "p0")["metadata"]["labels"].Has("kai.scheduler/subgroup-name"),
      false);
}

TEST_F(GrouperTest, SelectorsOfNamespacesAndPods) {
  cluster.Create(api::kNamespaces,
                 "{apiVersion: v1, kind: Namespace, metadata: {name: in, labels: {team: a}}}");
  Start({.pod_label_selector = "kind=batch, junk", .namespace_label_selector = "team=a"});
  const auto add = [&](const char* ns, const char* name, const char* labels) {
    cluster.Create(api::kPods,
                   fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: {}, "
                               "labels: {{{}}}}}, spec: {{schedulerName: kai-scheduler, "
                               "containers: [{{name: c, image: i}}]}}}}",
                               name, ns, labels));
  };
  add("in", "a", "kind: batch");
  add("in", "b", "kind: other");
  add("default", "c", "kind: batch");
  cluster.Settle();
  const auto group = [&](const char* ns, const char* name) {
    return std::string(kube::Annotation(cluster.Get(api::kPods, name, ns), "pod-group-name"));
  };
  EXPECT_NE(group("in", "a"), "");
  EXPECT_EQ(group("in", "b"), "");
  EXPECT_EQ(group("default", "c"), "");
}

TEST_F(GrouperTest, DefaultsOfAKindComeFromTheConfigMap) {
  cluster.Create(api::kConfigMaps, R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: defaults, namespace: default}
data: {types: '[{"typeName": "Widget", "group": "example.com", "priorityName": "build", "preemptibility": "Preemptible"}]'}
)");
  Start({.defaults_config_map = "defaults", .defaults_config_map_namespace = "default"});
  AddOwned("p", AddWidget("w"));
  cluster.Settle();
  json::Value group = cluster.Get(api::kPodGroups, GroupOf("p"));
  EXPECT_EQ(group["spec"]["priorityClassName"].AsString(), "build");
  EXPECT_EQ(group["spec"]["preemptibility"].AsString(), "preemptible");
  ASSERT_TRUE(cluster.client().Patch(api::kConfigMaps, {"default", "defaults"},
                                     kube::PatchType::kMerge, Doc("data: {types: 'no JSON'}")));
  AddOwned("q", AddWidget("v"));
  cluster.Settle();
  EXPECT_EQ(cluster.Get(api::kPodGroups, GroupOf("q"))["spec"]["priorityClassName"].AsString(),
            "train");
}

TEST_F(GrouperTest, PreemptibilityAndDelays) {
  Start();
  const json::Value widget = AddWidget(
      "w",
      "labels: {kai.scheduler/preemptibility: non-preemptible, priorityClassName: missing},"
      " annotations: {kai.scheduler/preemption-delay: 1h30m, kai.scheduler/staleness-grace-period: "
      "'5'}");
  AddOwned("p", widget,
           "labels: {kai.scheduler/preemptibility: preemptible, priorityClassName: inference},"
           " annotations: {kai.scheduler/staleness-grace-period: '-1s'}");
  cluster.Settle();
  const json::Value spec = cluster.Get(api::kPodGroups, GroupOf("p"))["spec"];
  EXPECT_EQ(spec["preemptibility"].AsString(), "non-preemptible");
  EXPECT_EQ(spec["priorityClassName"].AsString(), "train");  // The owner's label hides the pod's.
  EXPECT_EQ(spec["preemptionDelay"].AsString(), "1h30m0s");
  EXPECT_EQ(spec["stalenessGracePeriod"].AsString(), "-1s");
}

TEST_F(GrouperTest, BuiltInKinds) {
  Start();
  const json::Value deployment = cluster.Create(api::kDeployments, R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: default}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}
)");
  const json::Value replicas = cluster.Create(api::kReplicaSets, fmt::format(R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {{name: rs, namespace: default, {}}}
spec: {{selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}}}
)",
                                                                             OwnerOf(deployment)));
  const json::Value d1 = AddOwned("d1", replicas);
  AddOwned("d2", replicas);
  const json::Value job = cluster.Create(api::kJobs, R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: default, annotations: {kai.scheduler/batch-min-member: "3"}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
)");
  AddOwned("j1", job);
  AddOwned("j2", job);
  AddRaw("spark-1", "labels: {spark-app-selector: app, spark-app-name: x}");
  AddRaw("spark-2", "labels: {spark-app-selector: app, spark-app-name: x}");
  cluster.Settle();
  EXPECT_EQ(GroupOf("d1"), fmt::format("pg-d1-{}", kube::Uid(d1)));
  EXPECT_NE(GroupOf("d1"), GroupOf("d2"));
  EXPECT_EQ(cluster.Get(api::kPodGroups, GroupOf("d1"))["spec"]["priorityClassName"].AsString(),
            "inference");
  EXPECT_EQ(GroupOf("j1"), GroupOf("j2"));
  EXPECT_EQ(cluster.Get(api::kPodGroups, GroupOf("j1"))["spec"]["minMember"].AsInt(), 3);
  EXPECT_EQ(GroupOf("spark-1"), "app");
  EXPECT_EQ(GroupOf("spark-2"), "app");
}

}  // namespace
}  // namespace coppice::services::grouper
