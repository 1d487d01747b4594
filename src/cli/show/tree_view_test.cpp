#include "cli/show/tree_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/grove/crds.h"
#include "api/kai/crds.h"
#include "api/well_known.h"
#include "cli/show/queue_view.h"
#include "json/yaml/yaml.h"
#include "kube/client/intercepted_client.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "server/api_server.h"

namespace coppice::cli {
namespace {

using json::Value;

class TreeView : public testing::Test {
 protected:
  TreeView() {
    for (const Value& crd : api::grove::Crds()) EXPECT_TRUE(server_->InstallCrd(crd));
    for (const Value& crd : api::kai::Crds()) EXPECT_TRUE(server_->InstallCrd(crd));
  }

  // Creates the object and sets its status.
  void Put(const api::Resource& resource, const std::string& yaml) {
    const Value object = *json::ParseYaml(yaml);
    const auto created = client_->Create(resource, object);
    ASSERT_TRUE(created) << created.error().ToString();
    if (!object.Has("status")) return;
    const auto told =
        client_->Patch(resource, kube::KeyOf(object), kube::PatchType::kMerge,
                       Value::Object({{"status", object["status"]}}), {.subresource = "status"});
    ASSERT_TRUE(told) << told.error().ToString();
  }

  std::string Text(std::string_view name = "") {
    return FormatTree(*ReadTree(*client_, "default", name));
  }

  kube::Stepper stepper_;
  std::unique_ptr<server::ApiServer> server_ =
      *server::ApiServer::Make({.clock = &stepper_.clock(), .seed = 1});
  std::unique_ptr<kube::Client> client_ = server_->NewClient(stepper_);
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
  for (const char* part :
       {"2 replicas", "1 available, 0 updated", "updating: 1/2 cliques, 0/0 groups, replica 1",
        "gang · kai", "min 2", "1 scheduled, 2 updated, 1 gated",
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
  EXPECT_EQ(Text("nobody"), "no set and no PodGroup is here\n");
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

TEST_F(TreeView, QueuesSayHowMuchGpuMemoryIsAskedFor) {
  Put(api::kQueues, R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team}
spec: {resources: {gpu: {quota: 4, limit: -1, overQuotaWeight: 1}}}
status: {requested: {nvidia.com/gpu: 1500m, run.ai/gpu.memory: 20k}}
)");
  const Value queues = *ReadQueues(*client_);
  EXPECT_EQ(queues.At(0)["gpu"]["requestedMemory"].AsDouble(), 20000);
  EXPECT_NE(FormatQueues(queues).find("1.5 + 20000 MiB"), std::string::npos)
      << FormatQueues(queues);
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
  const auto tree = ReadTree(client, "default", "");
  ASSERT_TRUE(tree) << tree.error().message();
  EXPECT_EQ((*tree)["groups"].size(), 1u);
}

TEST(QueueView, AClusterWithoutQueuesIsToldHowToHaveThem) {
  kube::Stepper stepper;
  const auto server = *server::ApiServer::Make({.clock = &stepper.clock(), .seed = 1});
  const auto client = server->NewClient(stepper);
  const auto queues = ReadQueues(*client);
  ASSERT_FALSE(queues);
  EXPECT_EQ(queues.error().message(),
            "the cluster serves no queues.scheduling.run.ai; coppice crds --install brings them");
}

TEST_F(TreeView, QueuesCountGpusThatComeByClaims) {
  Put(api::kQueues, R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team}
spec: {resources: {gpu: {quota: 4, limit: -1, overQuotaWeight: 1}}}
status: {allocated: {nvidia.com/gpu: "1", example.com/gpu: "2", gpu.example.com: "4", cpu: "8"}}
)");
  EXPECT_EQ((*ReadQueues(*client_)).At(0)["gpu"]["allocated"].AsDouble(), 7);
}

}  // namespace
}  // namespace coppice::cli
