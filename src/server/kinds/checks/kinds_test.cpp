#include "server/kinds/checks/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

class KindsTest : public testing::Test {
 protected:
  json::Value Create(const api::Resource& resource, std::string_view yaml) {
    return server_.MustCreate(resource, yaml);
  }
  std::string Refusal(const api::Resource& resource, std::string_view yaml) {
    const auto made = server_->Create(resource, Doc(yaml));
    EXPECT_FALSE(made) << yaml;
    return made ? "" : made.error().message();
  }

  TestServer server_;
};

TEST_F(KindsTest, PodsGetTheirDefaults) {
  const json::Value pod = Create(api::kPods, R"(
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: default}
spec:
  containers:
  - {name: c, image: "busybox:1.2", resources: {limits: {cpu: 1, memory: 1Gi}}, ports: [{containerPort: 80}]}
  - {name: d, image: busybox, resources: {limits: {cpu: 1, memory: 1Gi}}}
  volumes: [{name: v}, {name: w, configMap: {name: m}}]
)");
  const json::Value& spec = pod["spec"];
  EXPECT_EQ(spec["restartPolicy"].AsString(), "Always");
  EXPECT_EQ(spec["dnsPolicy"].AsString(), "ClusterFirst");
  EXPECT_EQ(spec["schedulerName"].AsString(), "default-scheduler");
  EXPECT_EQ(spec["terminationGracePeriodSeconds"].AsInt(), 30);
  EXPECT_EQ(spec["serviceAccountName"].AsString(), "default");
  EXPECT_EQ(spec["priority"].AsInt(-1), 0);
  EXPECT_EQ(spec["tolerations"].size(), 2u);
  const json::Value& first = spec["containers"].At(0);
  EXPECT_EQ(first["imagePullPolicy"].AsString(), "IfNotPresent");
  EXPECT_EQ(first["resources"]["requests"]["cpu"].AsString(), "1");
  EXPECT_EQ(first["ports"].At(0)["protocol"].AsString(), "TCP");
  EXPECT_EQ(spec["containers"].At(1)["imagePullPolicy"].AsString(), "Always");
  EXPECT_TRUE(spec["volumes"].At(0)["emptyDir"].IsObject());
  EXPECT_EQ(spec["volumes"].At(1)["configMap"]["defaultMode"].AsInt(), 420);
  EXPECT_EQ(pod["status"]["qosClass"].AsString(), "Guaranteed");
}

TEST_F(KindsTest, PodsAreChecked) {
  const auto pod = [](std::string_view spec) {
    json::Value object = PodDoc("a");
    return object.Set("spec", Doc(spec));
  };
  const auto refusal = [&](std::string_view spec) {
    const auto made = server_->Create(api::kPods, pod(spec));
    return made ? std::string("created") : made.error().message();
  };
  EXPECT_EQ(refusal("{}"), "Pod \"a\" is invalid: spec.containers: Required value");
  EXPECT_EQ(
      refusal(
          "{containers: [{name: c, image: i, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]}"),
      "Pod \"a\" is invalid: spec.containers[0].resources.requests: Invalid value: \"2\": must "
      "be less than or equal to cpu limit of 1");
  EXPECT_EQ(
      refusal("{containers: [{name: c, image: i, resources: {requests: {nvidia.com/gpu: 1}}}]}"),
      "Pod \"a\" is invalid: spec.containers[0].resources.limits: Required value: Limit must be "
      "set for non overcommitable resources");
  EXPECT_THAT(
      refusal("{containers: [{name: c, image: i, volumeMounts: [{name: x, mountPath: /x}]}]}"),
      HasSubstr("spec.containers[0].volumeMounts[0].name: Not found: \"x\""));
  EXPECT_EQ(refusal("{containers: [{name: c, image: i}], priorityClassName: none}"),
            "pods \"a\" is forbidden: no PriorityClass with name none was found");
}

TEST_F(KindsTest, GatesCanOnlyBeRemoved) {
  json::Value pod = Create(api::kPods, R"(
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: default}
spec: {containers: [{name: c, image: i}], schedulingGates: [{name: example.com/a}]}
)");
  EXPECT_EQ(kube::Condition(pod, "PodScheduled")["reason"].AsString(), "SchedulingGated");
  json::Value more = pod;
  more.Mutable("spec").Mutable("schedulingGates").Append(Doc("{name: example.com/b}"));
  EXPECT_THAT(server_->Update(api::kPods, more).error().message(),
              HasSubstr("only deletion is allowed, but found new scheduling gate 'example.com/b'"));
  json::Value widened = pod;
  widened.Mutable("spec").Set("affinity", Doc("{podAffinity: {}}"));
  EXPECT_TRUE(server_->Update(api::kPods, widened).Is(ErrorCode::kInvalid));
  json::Value placed = pod;
  placed.Mutable("spec").Set("affinity", Doc(R"({nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
      {matchExpressions: [{key: rack, operator: Exists}]}]}}})"));
  placed.Mutable("spec").Set("nodeSelector", Doc("{rack: r1}"));
  placed = *server_->Update(api::kPods, placed);
  json::Value other = placed;
  const auto terms = [](json::Value& changed) -> json::Value& {
    return changed.Mutable("spec")
        .Mutable("affinity")
        .Mutable("nodeAffinity")
        .Mutable("requiredDuringSchedulingIgnoredDuringExecution")
        .Mutable("nodeSelectorTerms");
  };
  terms(other).Append(Doc("{matchExpressions: [{key: zone, operator: Exists}]}"));
  EXPECT_THAT(server_->Update(api::kPods, other).error().message(),
              HasSubstr("no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
  json::Value narrower = placed;
  terms(narrower)
      .MutableAt(0)
      .Mutable("matchExpressions")
      .Append(Doc("{key: zone, operator: Exists}"));
  placed = *server_->Update(api::kPods, narrower);
  json::Value moved = placed;
  moved.Mutable("spec").Set("nodeSelector", Doc("{rack: r2}"));
  EXPECT_THAT(server_->Update(api::kPods, moved).error().message(),
              HasSubstr("only additions to spec.nodeSelector are allowed"));
  placed.Mutable("spec").Erase("schedulingGates");
  EXPECT_TRUE(server_->Update(api::kPods, placed));
}

TEST_F(KindsTest, PriorityComesFromTheClass) {
  Create(api::kPriorityClasses,
         "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: "
         "100}");
  json::Value pod = PodDoc("a");
  pod.Mutable("spec").Set("priorityClassName", "high");
  EXPECT_EQ((*server_->Create(api::kPods, pod))["spec"]["priority"].AsInt(), 100);
  pod = PodDoc("b");
  pod.Mutable("spec").Set("priority", 7);
  EXPECT_TRUE(server_->Create(api::kPods, pod).Is(ErrorCode::kForbidden));
}

TEST_F(KindsTest, DeploymentsNeedAMatchingSelector) {
  const json::Value made = Create(api::kDeployments, R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: default}
spec:
  selector: {matchLabels: {app: a}}
  template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, image: i}]}}
)");
  EXPECT_EQ(made["spec"]["replicas"].AsInt(), 1);
  EXPECT_EQ(made["spec"]["strategy"]["rollingUpdate"]["maxSurge"].AsString(), "25%");
  json::Value other = made;
  other.Mutable("spec").Mutable("selector").Mutable("matchLabels").Set("app", "b");
  EXPECT_THAT(server_->Update(api::kDeployments, other).error().message(),
              HasSubstr("spec.selector: Invalid value"));
}

TEST_F(KindsTest, JobsLabelTheirPods) {
  const json::Value job = Create(api::kJobs, R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: default}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
)");
  EXPECT_EQ(job["spec"]["template"]["metadata"]["labels"]["job-name"].AsString(), "j");
  EXPECT_EQ(job["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"].AsString(),
            kube::Uid(job));
  EXPECT_THAT(Refusal(api::kJobs, R"(
apiVersion: batch/v1
kind: Job
metadata: {name: k, namespace: default}
spec: {template: {spec: {containers: [{name: c, image: i}]}}}
)"),
              HasSubstr("spec.template.spec.restartPolicy: Required value: valid values: "
                        "\"OnFailure\", \"Never\""));
}

TEST_F(KindsTest, ServicesGetAddressesOfTheirOwn) {
  const char* yaml = R"(
apiVersion: v1
kind: Service
metadata: {name: %, namespace: default}
spec: {selector: {app: a}, ports: [{port: 80}]}
)";
  const auto service = [&](const std::string& name) {
    std::string text = yaml;
    return text.replace(text.find('%'), 1, name);
  };
  const json::Value a = Create(api::kServices, service("a"));
  const json::Value b = Create(api::kServices, service("b"));
  EXPECT_THAT(a["spec"]["clusterIP"].ToString(), testing::StartsWith("10.96."));
  EXPECT_NE(a["spec"]["clusterIP"], b["spec"]["clusterIP"]);
  json::Value update = a;
  update.Mutable("spec").Erase("clusterIP");
  update.Mutable("spec").Erase("clusterIPs");
  EXPECT_EQ((*server_->Update(api::kServices, update))["spec"]["clusterIP"],
            a["spec"]["clusterIP"]);
}

TEST_F(KindsTest, SecretsEncodeWhatComesPlain) {
  const json::Value secret = Create(api::kSecrets, R"(
apiVersion: v1
kind: Secret
metadata: {name: s, namespace: default}
stringData: {user: me}
)");
  EXPECT_EQ(secret["type"].AsString(), "Opaque");
  EXPECT_EQ(secret["data"]["user"].AsString(), "bWU=");
  EXPECT_FALSE(secret.Has("stringData"));
}

TEST_F(KindsTest, WorkloadsAreImmutableGangs) {
  const json::Value workload = Create(api::kWorkloadsV1Alpha1, R"(
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {name: w, namespace: default}
spec: {podGroups: [{name: g, policy: {gang: {minCount: 3}}}]}
)");
  json::Value changed = workload;
  changed.Set("spec", Doc("{podGroups: [{name: g, policy: {gang: {minCount: 4}}}]}"));
  EXPECT_THAT(server_->Update(api::kWorkloadsV1Alpha1, changed).error().message(),
              HasSubstr("field is immutable"));
  EXPECT_THAT(Refusal(api::kWorkloadsV1Alpha1, R"(
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {name: x, namespace: default}
spec: {podGroups: [{name: g, policy: {basic: {}, gang: {minCount: 1}}}]}
)"),
              HasSubstr("exactly one of `basic`, `gang` is required, but multiple fields are set"));
}

TEST(KindsByRelease, ServeTheirOwnWorkloadApi) {
  TestServer old(0, {.kubernetes_version = "1.35"});
  EXPECT_TRUE(old->List(api::kWorkloadsV1Alpha1));
  TestServer next(0, {.kubernetes_version = "1.36"});
  EXPECT_TRUE(next->List(api::kWorkloadsV1Alpha1).Is(ErrorCode::kNotFound));
  const api::Resource groups{"scheduling.k8s.io", "v1alpha2", "podgroups", "PodGroup", true};
  EXPECT_TRUE(next->List(groups));
  TestServer newest(0, {.kubernetes_version = "1.37"});
  const api::Resource composites{"scheduling.k8s.io", "v1alpha3", "compositepodgroups",
                                 "CompositePodGroup", true};
  EXPECT_TRUE(newest->List(composites));
  const api::Resource beta{"scheduling.k8s.io", "v1beta1", "workloads", "Workload", true};
  EXPECT_TRUE(newest->List(beta));
  EXPECT_TRUE(newest->List(groups).Is(ErrorCode::kNotFound)) << "an alpha that was dropped";
}

TEST(KindsByRelease, PodsHaveTheFieldOfTheirRelease) {
  json::Value pod = PodDoc("a");
  pod.Mutable("spec").Set("workloadRef", Doc("{name: w, podGroup: g}"));
  pod.Mutable("spec").Set("schedulingGroup", Doc("{podGroupName: g}"));
  const auto kept = [&](const char* release) {
    TestServer server(0, {.kubernetes_version = release});
    const json::Value spec = (*server->Create(api::kPods, pod))["spec"];
    return std::string(spec.Has("workloadRef") ? "workloadRef" : "") +
           (spec.Has("schedulingGroup") ? "schedulingGroup" : "");
  };
  EXPECT_EQ(kept("1.35"), "workloadRef");
  EXPECT_EQ(kept("1.36"), "schedulingGroup");
  EXPECT_EQ(kept("1.37"), "schedulingGroup");
}

TEST(KindsByRelease, APodGroupGetsThePriorityOfItsClass) {
  TestServer server(0, {.kubernetes_version = "1.36"});
  const api::Resource groups{"scheduling.k8s.io", "v1alpha2", "podgroups", "PodGroup", true};
  json::Value high = kube::NewObject(api::kPriorityClasses, "", "high");
  high.Set("value", 1000);
  ASSERT_TRUE(server->Create(api::kPriorityClasses, high));
  const auto create = [&](const char* name, const char* spec) {
    json::Value group = kube::NewObject(groups, "default", name);
    group.Set("spec", Doc(spec));
    group.Mutable("spec").Set("schedulingPolicy", Doc("{basic: {}}"));
    return server->Create(groups, group);
  };
  const auto plain = create("a", "{}");
  ASSERT_TRUE(plain) << plain.error().ToString();
  EXPECT_EQ((*plain)["spec"]["priority"], json::Value(0));
  const auto raised = create("b", "{priorityClassName: high}");
  ASSERT_TRUE(raised) << raised.error().ToString();
  EXPECT_EQ((*raised)["spec"]["priority"].AsInt(), 1000);
  EXPECT_THAT(create("c", "{priorityClassName: none}").error().message(),
              HasSubstr("no PriorityClass with name none was found"));
  EXPECT_THAT(create("d", "{priorityClassName: high, priority: 3}").error().message(),
              HasSubstr("priority set in the pod group (3) must match the priority computed "
                        "(1000)"));
}

TEST_F(KindsTest, OnePriorityClassIsTheDefault) {
  const auto create = [&](const char* name) {
    json::Value object = kube::NewObject(api::kPriorityClasses, "", name);
    object.Set("value", 7).Set("globalDefault", true);
    return server_->Create(api::kPriorityClasses, object);
  };
  ASSERT_TRUE(create("first"));
  EXPECT_EQ((*server_->Create(api::kPods, PodDoc("p")))["spec"]["priority"].AsInt(), 7);
  EXPECT_THAT(create("second").error().message(),
              HasSubstr("PriorityClass first is already marked as default"));
}

TEST(KindsByRelease, AWorkloadHasOnePriority) {
  TestServer server(0, {.kubernetes_version = "1.37"});
  const api::Resource beta{"scheduling.k8s.io", "v1beta1", "workloads", "Workload", true};
  json::Value workload = kube::NewObject(beta, "default", "w");
  workload.Set("spec", Doc(R"({podGroupTemplates: [
    {name: a, schedulingPolicy: {basic: {}}, priority: 3},
    {name: b, schedulingPolicy: {basic: {}}, priority: 4}]})"));
  const auto refused = server->Create(beta, workload);
  ASSERT_TRUE(refused.Is(ErrorCode::kInvalid));
  EXPECT_EQ(refused.error().causes()[0].field, "spec.podGroupTemplates[1].priority");
}

TEST_F(KindsTest, EvictionsAskTheBudget) {
  const api::Resource budgets{"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true};
  Create(budgets, R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: b, namespace: default}
spec: {minAvailable: 1, selector: {matchLabels: {app: a}}}
)");
  for (const char* name : {"x", "z"}) {
    json::Value pod = PodDoc(name);
    pod.Mutable("metadata").Set("labels", Doc("{app: a}"));
    pod.Mutable("spec").Set("nodeName", "n1");
    ASSERT_TRUE(server_->Create(api::kPods, pod));
    ASSERT_TRUE(server_->Patch(
        api::kPods, {"default", name}, kube::PatchType::kMerge,
        Doc("{status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}}"),
        {.subresource = "status"}));
  }
  server_.stepper.RunUntilIdle();
  const auto evict = [&](const char* name) {
    json::Value eviction = Doc("{apiVersion: policy/v1, kind: Eviction}");
    eviction.Mutable("metadata").Set("name", name).Set("namespace", "default");
    return server_->Create(api::kPods, eviction, {.subresource = "eviction"});
  };
  EXPECT_TRUE(evict("x"));
  const auto second = evict("z");
  ASSERT_TRUE(second.Is(ErrorCode::kTooManyRequests));
  EXPECT_EQ(second.error().message(),
            "Cannot evict pod as it would violate the pod's disruption budget.");
  ASSERT_EQ(second.error().causes().size(), 1u);
  EXPECT_EQ(second.error().causes()[0].reason, "DisruptionBudget");
  // What is not ready protects nothing, where the budget says so.
  ASSERT_TRUE(server_->Patch(budgets, {"default", "b"}, kube::PatchType::kMerge,
                             Doc("{spec: {unhealthyPodEvictionPolicy: AlwaysAllow}}"), {}));
  ASSERT_TRUE(server_->Patch(api::kPods, {"default", "z"}, kube::PatchType::kMerge,
                             Doc("{status: {conditions: [{type: Ready, status: 'False'}]}}"),
                             {.subresource = "status"}));
  EXPECT_TRUE(evict("z"));
}

TEST_F(KindsTest, EventsHaveTwoNames) {
  const api::Resource modern{"events.k8s.io", "v1", "events", "Event", true};
  Create(modern, R"(
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: e, namespace: default}
eventTime: "2026-01-01T00:00:00.000000Z"
regarding: {kind: Pod, name: a, namespace: default}
note: hello
reason: Tested
type: Normal
reportingController: test
reportingInstance: test-1
action: Testing
)");
  const json::Value old = *server_->Get(api::kEvents, {"default", "e"});
  EXPECT_EQ(old["message"].AsString(), "hello");
  EXPECT_EQ(old["involvedObject"]["name"].AsString(), "a");
  const auto count = [&](const api::Resource& resource, const char* fields) {
    const auto list = server_->List(resource, {.ns = "default", .field_selector = fields});
    return list ? static_cast<int>(list->items.size()) : -1;
  };
  EXPECT_EQ(count(modern, "regarding.name=a,regarding.kind=Pod,reason=Tested"), 1);
  EXPECT_EQ(count(modern, "regarding.name=b"), 0);
  EXPECT_EQ(count(modern, "reportingController=test,type=Normal"), 1);
  EXPECT_EQ(count(api::kEvents, "involvedObject.name=a,reportingComponent=test"), 1);
  EXPECT_EQ(count(api::kEvents, "source=kubelet"), 0);
  EXPECT_EQ(count(api::kEvents, "involvedObject.color=red"), -1);
}

TEST_F(KindsTest, EventsGoAfterAnHour) {
  Create(api::kEvents, R"(
apiVersion: v1
kind: Event
metadata: {name: e, namespace: default}
involvedObject: {kind: Pod, name: a, namespace: default}
lastTimestamp: "2026-01-01T00:00:00Z"
)");
  server_.stepper.RunFor(std::chrono::minutes(50));
  EXPECT_TRUE(server_->Get(api::kEvents, {"default", "e"}));
  server_.stepper.RunFor(std::chrono::minutes(20));
  EXPECT_TRUE(server_->Get(api::kEvents, {"default", "e"}).Is(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace coppice::server
