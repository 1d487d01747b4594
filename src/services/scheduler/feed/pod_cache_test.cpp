#include "services/scheduler/feed/pod_cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/write.h"
#include "services/scheduler/service.h"
#include "services/scheduler/snapshot.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

using ::testing::ElementsAre;

constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: default
  uid: u
  annotations: {pod-group-name: g, other: text}
  labels: {kai.scheduler/subgroup-name: workers, app: x}
  managedFields: [{manager: m}]
spec:
  schedulerName: kai-scheduler
  containers:
  - name: main
    image: app:v1
    command: [run]
    livenessProbe: {periodSeconds: 3}
    ports: [{containerPort: 80}]
    env:
    - {name: PLAIN, value: x}
    - {name: MAP, valueFrom: {configMapKeyRef: {name: m, key: k}}}
    - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    envFrom: [{configMapRef: {name: all}}]
    resources: {requests: {cpu: 1}}
    volumeMounts: [{name: v, mountPath: /v}]
  initContainers:
  - {name: first, image: init, restartPolicy: Always, resources: {requests: {cpu: 2}}}
status: {phase: PHASE}
)";

json::Value Stripped(std::string_view phase) {
  std::string yaml = kPod;
  yaml.replace(yaml.find("PHASE"), 5, phase);
  return StripPod(Doc(yaml));
}

TEST(PodCacheTest, ContainersKeepWhatDecides) {
  const json::Value pod = Stripped("Running");
  EXPECT_EQ(pod["spec"]["containers"].At(0), Doc(R"({
    name: main, ports: [{containerPort: 80}], envFrom: [{configMapRef: {name: all}}],
    resources: {requests: {cpu: 1}}, volumeMounts: [{name: v, mountPath: /v}],
    env: [{name: MAP, valueFrom: {configMapKeyRef: {name: m, key: k}}}]})"))
      << json::Write(pod);
  EXPECT_EQ(pod["spec"]["initContainers"].At(0),
            Doc("{name: first, resources: {requests: {cpu: 2}}, restartPolicy: Always}"));
  EXPECT_FALSE(pod["metadata"].Has("managedFields"));
  EXPECT_EQ(pod["metadata"]["labels"]["app"].AsString(), "x");
  EXPECT_EQ(pod["spec"]["schedulerName"].AsString(), "kai-scheduler");
}

TEST(PodCacheTest, OfAPodThatSucceededWhoItWasIsLeft) {
  EXPECT_EQ(Stripped("Succeeded"), Doc(R"({apiVersion: v1, kind: Pod, metadata: {
    name: p, namespace: default, uid: u, annotations: {pod-group-name: g},
    labels: {kai.scheduler/subgroup-name: workers}}, status: {phase: Succeeded}})"));
}

TEST(PodCacheTest, HowLongAPodRanIsLeft) {
  const json::Value pod = StripPod(Doc(R"({metadata: {name: p}, status: {phase: Succeeded,
    startTime: "2026-01-01T00:00:00Z", containerStatuses: [
      {name: a, state: {terminated: {exitCode: 0, finishedAt: "2026-01-01T02:00:00Z"}}},
      {name: b, state: {terminated: {exitCode: 0, finishedAt: "2026-01-01T01:00:00Z"}}}]}})"));
  EXPECT_EQ(pod["status"], Doc(R"({phase: Succeeded, startTime: "2026-01-01T00:00:00Z",
    containerStatuses: [{state: {terminated: {finishedAt: "2026-01-01T02:00:00Z"}}}]})"));
}

class OwnCacheTest : public ::testing::Test {
 protected:
  OwnCacheTest() {
    cluster.AddQueue("root", "", -1);
    cluster.AddQueue("a", "root", -1);
    cluster.AddNode("n1", 1);
    cluster.Create(api::kPodGroups,
                   "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: g, "
                   "namespace: default}, spec: {queue: a, minMember: 1}}");
  }

  std::vector<std::string> CachedPods() {
    std::vector<std::string> names;
    for (const json::Value& pod : cluster.manager->runtime().cache.InformerFor(api::kPods).List()) {
      names.push_back(pod["metadata"]["name"].ToString());
    }
    return names;
  }

  void SetPhase(std::string_view name, std::string_view phase) {
    ASSERT_TRUE(cluster.client().Patch(
        api::kPods, {"default", std::string(name)}, kube::PatchType::kMerge,
        Doc(fmt::format("{{status: {{phase: {}}}}}", phase)), {.subresource = "status"}));
    cluster.Settle();
  }

  TestCluster cluster{1};
};

TEST_F(OwnCacheTest, HoldsLittleOfPodsThatHaveEnded) {
  for (const char* name : {"dead", "done"}) {
    cluster.AddPod(name, "a", 1, "annotations: {pod-group-name: g}");
  }
  Options options;
  options.own_cache = true;
  const auto service = AddToManager(*cluster.manager, options);
  ASSERT_TRUE(service) << service.error().message();
  cluster.Start();
  cluster.Settle();
  EXPECT_THAT(CachedPods(), ElementsAre("dead", "done"));
  SetPhase("dead", "Failed");
  SetPhase("done", "Succeeded");
  for (const char* name : {"dead", "done"}) {
    const auto cached =
        cluster.manager->runtime().cache.InformerFor(api::kPods).Get({"default", name});
    ASSERT_TRUE(cached);
    EXPECT_FALSE((*cached)["spec"].Has("containers")) << name;
  }
  // Their GPU is free again, and the next pod gets it.
  cluster.AddPod("next", "a", 1, "annotations: {pod-group-name: g}");
  cluster.Settle();
  EXPECT_TRUE(cluster.Exists(api::kBindRequests, "next"));
}

TEST_F(OwnCacheTest, SnapshotsAreAlikeWhoeverSharesTheCache) {
  for (const char* name : {"dead", "done"}) {
    cluster.AddPod(name, "a", 0, "annotations: {pod-group-name: g}");
  }
  const auto service = AddToManager(*cluster.manager, {});
  ASSERT_TRUE(service);
  cluster.Start();
  cluster.Settle();
  SetPhase("dead", "Failed");
  SetPhase("done", "Succeeded");
  const auto snapshot = ReadSnapshot((*service)->TakeSnapshot());
  ASSERT_TRUE(snapshot);
  ASSERT_EQ(snapshot->objects["pods"].size(), 1u);
  EXPECT_EQ(snapshot->objects["pods"].At(0)["metadata"]["name"].AsString(), "done");
  EXPECT_FALSE(snapshot->objects["pods"].At(0)["spec"].Has("containers"));
}

}  // namespace
}  // namespace coppice::services::scheduler
