#include "cli/show/tree_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/show/show_testing.h"
#include "kube/client/intercepted_client.h"

namespace coppice::cli {
namespace {

using json::Value;

class TreeView : public ShowTest {
 protected:
  std::string Text(const std::string& name = "", bool wide = false) {
    const auto tree = ReadTree(*client_, {.ns = "default", .name = name});
    return tree ? FormatTree(*tree, {.wide = wide, .now = stepper_.Now()}) : tree.error().message();
  }
};

TEST_F(TreeView, ShowsCountsGatesBreachesAndUpdates) {
  Put(api::kPodCliqueSets, R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: app, namespace: default}
spec:
  replicas: 2
  template:
    terminationDelay: 30m
    cliques: [{name: w, spec: {roleName: w, replicas: 2, podSpec: {containers: [{name: c, image: i}]}}}]
status:
  availableReplicas: 1
  updatedReplicas: 0
  updateProgress: {updateStartedAt: "2026-01-01T00:00:00Z", updatedPodCliquesCount: 1, totalPodCliquesCount: 2, currentlyUpdating: [{replicaIndex: 1}]}
)");
  Put(api::kPodGangs, R"(
apiVersion: scheduler.grove.io/v1alpha1
kind: PodGang
metadata: {name: app-0, namespace: default, labels: {app.kubernetes.io/part-of: app, grove.io/scheduler-backend: kai}}
spec: {podgroups: [{name: app-0-w, minReplicas: 2, podReferences: []}, {name: app-0-new, minReplicas: 1, podReferences: []}]}
status: {phase: Starting}
)");
  Put(api::kPodCliques, R"(
apiVersion: grove.io/v1alpha1
kind: PodClique
metadata: {name: app-0-w, namespace: default}
spec: {roleName: w, replicas: 2, minAvailable: 2, podSpec: {containers: [{name: c, image: i}]}}
status:
  scheduledReplicas: 1
  readyReplicas: 0
  updatedReplicas: 2
  scheduleGatedReplicas: 1
  conditions:
  - {type: PodCliqueScheduled, status: "True", reason: r, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}
  - {type: MinAvailableBreached, status: "True", reason: r, message: m, lastTransitionTime: "2026-01-01T01:00:00Z"}
)");
  // It never ran, so it is never terminated for it.
  Put(api::kPodCliques, R"(
apiVersion: grove.io/v1alpha1
kind: PodClique
metadata: {name: app-0-new, namespace: default}
spec: {roleName: new, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: c, image: i}]}}
status:
  scheduledReplicas: 0
  readyReplicas: 0
  updatedReplicas: 1
  scheduleGatedReplicas: 0
  conditions: [{type: MinAvailableBreached, status: "True", reason: r, message: m, lastTransitionTime: "2026-01-01T02:00:00Z"}]
)");
  Put(api::kPods, R"(
apiVersion: v1
kind: Pod
metadata: {name: app-0-w-a, namespace: default, labels: {grove.io/podgang: app-0, grove.io/podclique: app-0-w}}
spec: {schedulingGates: [{name: grove.io/podgang}], containers: [{name: c, image: i}]}
)");
  const std::string text = Text();
  for (const char* part : {"set/app", "1/2 available",
                           "updating: 0 of 2 replicas, 1/2 cliques, 0/0 groups, now replica 1",
                           "gang/app-0", "kai", "min 2, 1 scheduled, 2 updated, 1 gated",
                           "below its minimum since 2026-01-01T01:00:00Z (ends after 30m)", "Gated",
                           "below its minimum since 2026-01-01T02:00:00Z\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
  }
}

// A terminating pod does not count as ready, although its status says so.
TEST_F(TreeView, PodsThatEndAreNotReady) {
  Put(api::kPodCliqueSets, R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: app, namespace: default}
spec:
  replicas: 1
  template: {cliques: [{name: w, spec: {roleName: w, replicas: 2, podSpec: {containers: [{name: c, image: i}]}}}]}
)");
  Put(api::kPodGangs, R"(
apiVersion: scheduler.grove.io/v1alpha1
kind: PodGang
metadata: {name: app-0, namespace: default, labels: {app.kubernetes.io/part-of: app}}
spec: {podgroups: [{name: app-0-w, minReplicas: 2, podReferences: []}]}
)");
  for (const std::string name : {"stays", "goes"}) {
    Put(api::kPods, fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}, namespace: default, finalizers: [test/kept], labels: {{grove.io/podgang: app-0, grove.io/podclique: app-0-w}}}}
spec: {{nodeName: node, containers: [{{name: c, image: i}}]}}
status: {{phase: Running, conditions: [{{type: Ready, status: "True"}}]}}
)",
                                name));
  }
  EXPECT_NE(Text().find("2/2 ready"), std::string::npos) << Text();
  ASSERT_TRUE(client_->Delete(api::kPods, {"default", "goes"}));
  EXPECT_NE(Text().find("1/2 ready"), std::string::npos) << Text();
  EXPECT_NE(Text().find("Terminating"), std::string::npos) << Text();
}

TEST_F(TreeView, FindsWhatIsNamed) {
  for (const std::string name : {"train", "other"}) {
    Put(api::kPodGroups, fmt::format(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {{name: pg-{0}-1, namespace: default, ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: {0}, uid: "1"}}]}}
spec: {{queue: q-{0}, minMember: 1}}
)",
                                     name));
    Put(api::kPods, fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {0}-pod, namespace: default, annotations: {{pod-group-name: pg-{0}-1}}}}
spec: {{containers: [{{name: c, image: i}}]}}
)",
                                name));
  }
  for (const char* name : {"train", "pg-train-1", "train-pod"}) {
    const std::string text = Text(name);
    EXPECT_NE(text.find("q-train"), std::string::npos) << name << ":\n" << text;
    EXPECT_EQ(text.find("q-other"), std::string::npos) << name << ":\n" << text;
  }
  EXPECT_EQ(Text("nobody"), "nothing is here; -A shows all namespaces\n");
  EXPECT_NE(Text("job/train").find("q-train"), std::string::npos) << Text("job/train");
  EXPECT_EQ(Text("deployment/train").find("q-train"), std::string::npos);
}

TEST_F(TreeView, PartsOfSeveralGpusAreSummedUp) {
  Put(api::kPodGroups, R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, namespace: default}
spec: {queue: q, minMember: 1}
)");
  Put(api::kPods, R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default, annotations: {pod-group-name: g, gpu-fraction: "0.5", gpu-fraction-num-devices: "3"}}
spec: {containers: [{name: c, image: i}]}
)");
  EXPECT_NE(Text().find("1.5 GPUs"), std::string::npos) << Text();
}

TEST_F(TreeView, ShowsOneGangOfASet) {
  Put(api::kPodCliqueSets, R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: app, namespace: default}
spec:
  replicas: 2
  template: {cliques: [{name: w, spec: {roleName: w, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}]}
)");
  for (const int i : {0, 1}) {
    Put(api::kPodGangs, fmt::format(R"(
apiVersion: scheduler.grove.io/v1alpha1
kind: PodGang
metadata: {{name: app-{0}, namespace: default, labels: {{app.kubernetes.io/part-of: app}}}}
spec: {{podgroups: [{{name: app-{0}-w, minReplicas: 1, podReferences: []}}]}}
)",
                                    i));
  }
  for (const char* name : {"app-1", "app-1-w"}) {
    const std::string text = Text(name);
    EXPECT_NE(text.find("app-1-w"), std::string::npos) << text;
    EXPECT_EQ(text.find("app-0"), std::string::npos) << text;
  }
  EXPECT_NE(Text("app").find("app-0-w"), std::string::npos);
}

// Forbids reading nodes, as for a user with permissions in one namespace.
class WithoutNodes final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;

 protected:
  base::Status Before(const kube::Call& call) override {
    if (call.resource != api::kNodes) return {};
    return base::Error(base::ErrorCode::kForbidden, "nodes is forbidden");
  }
};

TEST_F(TreeView, NeedsNoRightToSeeNodes) {
  Put(api::kPodGroups, R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, namespace: default}
spec: {queue: team, minMember: 1}
)");
  Put(api::kPods, R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default, annotations: {pod-group-name: g}}
spec: {containers: [{name: c, image: i}]}
)");
  WithoutNodes client(*client_);
  const auto tree = ReadTree(client, {.ns = "default"});
  ASSERT_TRUE(tree) << tree.error().message();
  EXPECT_EQ((*tree)["groups"].size(), 1u);
}

// A Deployment has a PodGroup per pod; users see the Deployment.
TEST_F(TreeView, PodsOfADeploymentAreOneRow) {
  for (const int i : {1, 2, 3}) {
    Put(api::kPodGroups, fmt::format(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {{name: pg-{0}, namespace: default, ownerReferences: [{{apiVersion: v1, kind: Pod, name: web-5d-{0}, uid: "{0}"}}]}}
spec: {{queue: team, minMember: 1, priorityClassName: inference}}
)",
                                     i));
    Put(api::kPods, fmt::format(R"(
apiVersion: v1
kind: Pod
metadata:
  name: web-5d-{0}
  namespace: default
  labels: {{pod-template-hash: 5d}}
  annotations: {{pod-group-name: pg-{0}}}
  ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: web-5d, uid: "7"}}]
spec: {{nodeName: n{0}, containers: [{{name: c, image: i}}]}}
status: {{phase: Running, conditions: [{{type: Ready, status: "{1}"}}]}}
)",
                                i, i < 3 ? "True" : "False"));
  }
  EXPECT_EQ(Text(),
            "NAME            STATE      QUEUE  PRIORITY   AGE  WHERE\n"
            "deployment/web  2/3 ready  team   inference  0s   on 3 nodes\n"
            "└─ web-5d-3     Starting                     0s   n3\n");
  EXPECT_NE(Text("", true).find("web-5d-1"), std::string::npos) << Text("", true);
  EXPECT_NE(Text("deploy/web").find("2/3 ready"), std::string::npos);
}

TEST_F(TreeView, ACliqueIsShownAlone) {
  Put(api::kPodCliqueSets, R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: app, namespace: default, labels: {team: a}}
spec:
  replicas: 1
  template: {cliques: [{name: w, spec: {roleName: w, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}]}
)");
  Put(api::kPodGangs, R"(
apiVersion: scheduler.grove.io/v1alpha1
kind: PodGang
metadata: {name: app-0, namespace: default, labels: {app.kubernetes.io/part-of: app}}
spec: {podgroups: [{name: app-0-w, minReplicas: 1, podReferences: []}, {name: app-0-x, minReplicas: 1, podReferences: []}]}
)");
  for (const char* name : {"app-0-w", "clique/app-0-w", "pclq/app-0-w"}) {
    EXPECT_NE(Text(name).find("app-0-w"), std::string::npos) << Text(name);
    EXPECT_EQ(Text(name).find("app-0-x"), std::string::npos) << Text(name);
  }
  EXPECT_EQ((*ReadTree(*client_, {.selector = "team=b"}))["sets"].size(), 0u);
  EXPECT_EQ((*ReadTree(*client_, {.selector = "team=a"}))["sets"].size(), 1u);
  EXPECT_FALSE(ReadTree(*client_, {.selector = "=,"}));
}

}  // namespace
}  // namespace coppice::cli
