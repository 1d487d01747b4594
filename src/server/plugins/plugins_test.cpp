#include "server/plugins/plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

const api::Resource kResourceQuotas{"", "v1", "resourcequotas", "ResourceQuota", true};
const api::Resource kRanges{"", "v1", "limitranges", "LimitRange", true};

json::Value PodWith(std::string_view name, std::string_view resources) {
  json::Value pod = PodDoc(name);
  pod.Mutable("spec").Mutable("containers").MutableAt(0).Set("resources", Doc(resources));
  return pod;
}

std::string WhyNot(const base::Result<json::Value>& result) {
  return result ? "it was accepted" : result.error().message();
}

TEST(ServiceAccountAdmission, PodsGetTheTokenOfTheirAccount) {
  TestServer server;
  json::Value pod = PodDoc("a");
  pod.Mutable("spec").Set("initContainers", Doc("[{name: init, image: busybox}]"));
  const json::Value spec = (*server->Create(api::kPods, pod))["spec"];
  EXPECT_EQ(spec["serviceAccountName"].AsString(), "default");
  ASSERT_EQ(spec["volumes"].size(), 1u);
  const std::string volume = spec["volumes"].At(0)["name"].ToString();
  EXPECT_THAT(volume, testing::StartsWith("kube-api-access-"));
  EXPECT_EQ(spec["volumes"].At(0)["projected"], Doc(R"(
defaultMode: 420
sources:
- serviceAccountToken: {expirationSeconds: 3607, path: token}
- configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
- downwardAPI: {items: [{path: namespace, fieldRef: {apiVersion: v1, fieldPath: metadata.namespace}}]}
)"));
  for (const char* list : {"containers", "initContainers"}) {
    const json::Value& mounts = spec[list].At(0)["volumeMounts"];
    ASSERT_EQ(mounts.size(), 1u) << list;
    EXPECT_EQ(mounts.At(0)["name"].AsString(), volume);
    EXPECT_TRUE(mounts.At(0)["readOnly"].AsBool());
    EXPECT_EQ(mounts.At(0)["mountPath"].AsString(),
              "/var/run/secrets/kubernetes.io/serviceaccount");
  }
}

TEST(ServiceAccountAdmission, UnknownAccountsAreRefused) {
  TestServer server;
  json::Value pod = PodDoc("a");
  pod.Mutable("spec").Set("serviceAccountName", "nobody");
  const auto refused = server->Create(api::kPods, pod);
  ASSERT_TRUE(refused.Is(ErrorCode::kForbidden));
  EXPECT_EQ(refused.error().message(),
            "pods \"a\" is forbidden: error looking up service account default/nobody: "
            "serviceaccount \"nobody\" not found");
}

TEST(ServiceAccountAdmission, TokensCanBeDeclined) {
  TestServer server;
  json::Value account = kube::NewObject(api::kServiceAccounts, "default", "quiet");
  account.Set("automountServiceAccountToken", false);
  account.Set("imagePullSecrets", Doc("[{name: registry}]"));
  ASSERT_TRUE(server->Create(api::kServiceAccounts, account));
  json::Value pod = PodDoc("a");
  pod.Mutable("spec").Set("serviceAccountName", "quiet");
  const json::Value quiet = (*server->Create(api::kPods, pod))["spec"];
  EXPECT_FALSE(quiet.Has("volumes"));
  EXPECT_EQ(quiet["imagePullSecrets"], Doc("[{name: registry}]"));
  pod.Mutable("metadata").Set("name", "b");
  pod.Mutable("spec").Set("automountServiceAccountToken", true);
  EXPECT_EQ((*server->Create(api::kPods, pod))["spec"]["volumes"].size(), 1u);
}

TEST(ServiceAccountAdmission, ADeletedDefaultAccountComesBack) {
  TestServer server;
  ASSERT_TRUE(server->Delete(api::kServiceAccounts, {"default", "default"}));
  EXPECT_TRUE(server->Create(api::kPods, PodDoc("a")));
}

TEST(LimitRanger, FillsAndBoundsContainers) {
  TestServer server;
  const json::Value range = server.MustCreate(kRanges, R"(
apiVersion: v1
kind: LimitRange
metadata: {name: bounds, namespace: default}
spec:
  limits:
  - {type: Container, max: {cpu: "2"}, min: {cpu: 100m}, default: {cpu: "1"}, defaultRequest: {cpu: 500m}}
  - {type: Pod, max: {memory: 1Gi}}
)");
  const json::Value made = *server->Create(api::kPods, PodWith("a", "{limits: {memory: 512Mi}}"));
  EXPECT_EQ(made["spec"]["containers"].At(0)["resources"],
            Doc("{limits: {cpu: '1', memory: 512Mi}, requests: {cpu: 500m, memory: 512Mi}}"));
  EXPECT_EQ(kube::Annotation(made, "kubernetes.io/limit-ranger"),
            "LimitRanger plugin set: cpu request for container main; cpu limit for container main");
  EXPECT_EQ(WhyNot(server->Create(api::kPods, PodWith("b", "{limits: {cpu: 3, memory: 1Gi}}"))),
            "pods \"b\" is forbidden: maximum cpu usage per Container is 2, but limit is 3");
  EXPECT_EQ(WhyNot(server->Create(api::kPods, PodWith("b", "{limits: {memory: 2Gi}}"))),
            "pods \"b\" is forbidden: maximum memory usage per Pod is 1Gi, but limit is 2Gi");
  EXPECT_EQ(WhyNot(server->Create(api::kPods,
                                  PodWith("b", "{requests: {cpu: 1m}, limits: {memory: 1Mi}}"))),
            "pods \"b\" is forbidden: minimum cpu usage per Container is 100m, but request is 1m");
}

TEST(LimitRanger, RangesAreCompletedAndChecked) {
  TestServer server;
  const json::Value range = server.MustCreate(kRanges, R"(
apiVersion: v1
kind: LimitRange
metadata: {name: a, namespace: default}
spec: {limits: [{type: Container, max: {cpu: "2"}}]}
)");
  EXPECT_EQ(
      range["spec"]["limits"].At(0),
      Doc("{type: Container, max: {cpu: '2'}, default: {cpu: '2'}, defaultRequest: {cpu: '2'}}"));
  json::Value wrong = range;
  wrong.Mutable("spec").Mutable("limits").MutableAt(0).Set("min", Doc("{cpu: '3'}"));
  EXPECT_TRUE(server->Update(kRanges, wrong).Is(ErrorCode::kInvalid));
}

constexpr std::string_view kTwoPods = R"(
apiVersion: v1
kind: ResourceQuota
metadata: {name: small, namespace: default}
spec: {hard: {pods: "2", requests.nvidia.com/gpu: "8", count/configmaps: "3"}}
)";

TEST(Quotas, LimitWhatANamespaceUses) {
  TestServer server;
  const json::Value quota = server.MustCreate(kResourceQuotas, kTwoPods);
  EXPECT_EQ(quota["status"]["used"],
            Doc("{pods: '0', requests.nvidia.com/gpu: '0', count/configmaps: '1'}"));
  const char* kFour = "{limits: {nvidia.com/gpu: 4}}";
  ASSERT_TRUE(server->Create(api::kPods, PodWith("a", kFour)));
  EXPECT_EQ(WhyNot(server->Create(api::kPods, PodWith("b", "{limits: {nvidia.com/gpu: 5}}"))),
            "pods \"b\" is forbidden: exceeded quota: small, requested: "
            "requests.nvidia.com/gpu=5, used: requests.nvidia.com/gpu=4, limited: "
            "requests.nvidia.com/gpu=8");
  ASSERT_TRUE(server->Create(api::kPods, PodWith("b", kFour)));
  EXPECT_THAT(WhyNot(server->Create(api::kPods, PodDoc("c"))),
              HasSubstr("exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2"));
  EXPECT_TRUE(server->Create(api::kPods, PodDoc("c", "kube-public"))) << "another namespace";
  ASSERT_TRUE(server->Delete(api::kPods, {"default", "a"}));
  server.stepper.RunUntilIdle();
  EXPECT_EQ(
      (*server->Get(kResourceQuotas, {"default", "small"}))["status"]["used"]["pods"].AsString(),
      "1");
  EXPECT_TRUE(server->Create(api::kPods, PodDoc("c")));
}

TEST(Quotas, FinishedPodsUseNothing) {
  TestServer server;
  server.MustCreate(kResourceQuotas, kTwoPods);
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a")));
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("b")));
  ASSERT_TRUE(server->Patch(api::kPods, {"default", "a"}, kube::PatchType::kMerge,
                            Doc("{status: {phase: Succeeded}}"), {.subresource = "status"}));
  server.stepper.RunUntilIdle();
  EXPECT_TRUE(server->Create(api::kPods, PodDoc("c")));
}

TEST(Quotas, WhatIsLimitedMustBeStated) {
  TestServer server;
  server.MustCreate(kResourceQuotas, R"(
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: default}
spec: {hard: {requests.cpu: "1", limits.memory: 1Gi}}
)");
  EXPECT_EQ(WhyNot(server->Create(api::kPods, PodDoc("a"))),
            "pods \"a\" is forbidden: failed quota: q: must specify requests.cpu for: main; "
            "limits.memory for: main");
  EXPECT_TRUE(
      server->Create(api::kPods, PodWith("a", "{requests: {cpu: 1}, limits: {memory: 1Gi}}")));
}

TEST(Quotas, ScopesNarrowThem) {
  TestServer server;
  server.MustCreate(kResourceQuotas, R"(
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: default}
spec: {hard: {pods: "0"}, scopes: [BestEffort]}
)");
  EXPECT_TRUE(server->Create(api::kPods, PodDoc("a")).Is(ErrorCode::kForbidden));
  EXPECT_TRUE(server->Create(api::kPods, PodWith("a", "{requests: {cpu: 1}}")));
}

TEST(Quotas, DryRunsAreNotCounted) {
  TestServer server;
  server.MustCreate(kResourceQuotas, kTwoPods);
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_TRUE(server->Create(api::kPods, PodDoc(name), {.dry_run = true})) << name;
  }
}

const api::Resource kWorkloads{"scheduling.k8s.io", "v1alpha2", "workloads", "Workload", true};
const api::Resource kGroups{"scheduling.k8s.io", "v1alpha2", "podgroups", "PodGroup", true};

json::Value Group(std::string_view name, std::string_view pattern) {
  json::Value group = kube::NewObject(kGroups, "default", name);
  group.Set("spec", Doc("{schedulingPolicy: {gang: {minCount: 2}}}"));
  group.Mutable("spec")
      .Mutable("podGroupTemplateRef")
      .Set("workload",
           json::Value::Object({{"workloadName", "w"}, {"podGroupTemplateName", pattern}}));
  return group;
}

TEST(WorkloadExists, GroupsNameATemplateThatIsThere) {
  TestServer server(0, {.kubernetes_version = "1.36"});
  EXPECT_EQ(WhyNot(server->Create(kGroups, Group("g", "t"))),
            "podgroups.scheduling.k8s.io \"g\" is forbidden: workload \"w\" not found");
  json::Value workload = kube::NewObject(kWorkloads, "default", "w");
  workload.Set("spec", Doc("{podGroupTemplates: [{name: t, schedulingPolicy: {basic: {}}}]}"));
  ASSERT_TRUE(server->Create(kWorkloads, workload));
  EXPECT_TRUE(server->Create(kGroups, Group("h", "u")).Is(ErrorCode::kForbidden));
  EXPECT_TRUE(server->Create(kGroups, Group("g", "t")));
}

TEST(GroupGuard, AGroupStaysAsLongAsItsPodsCouldRun) {
  TestServer server(0, {.kubernetes_version = "1.36"});
  json::Value group = Group("g", "t");
  group.Mutable("spec").Erase("podGroupTemplateRef");
  EXPECT_TRUE(
      kube::HasFinalizer(*server->Create(kGroups, group), "scheduling.k8s.io/podgroup-protection"));
  json::Value pod = PodDoc("a");
  pod.Mutable("spec").Set("schedulingGroup", Doc("{podGroupName: g}"));
  ASSERT_TRUE(server->Create(api::kPods, pod));
  ASSERT_TRUE(server->Delete(kGroups, {"default", "g"}));
  server.stepper.RunUntilIdle();
  EXPECT_TRUE(server->Get(kGroups, {"default", "g"}));
  ASSERT_TRUE(server->Patch(api::kPods, {"default", "a"}, kube::PatchType::kMerge,
                            Doc("{status: {phase: Failed}}"), {.subresource = "status"}));
  server.stepper.RunUntilIdle();
  EXPECT_TRUE(server->Get(kGroups, {"default", "g"}).Is(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace coppice::server
