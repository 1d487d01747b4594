// What ./dev real kinds found and compares with a real kube-apiserver, for those who have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using testing::HasSubstr;

const api::Resource kServices{"", "v1", "services", "Service", true};
const api::Resource kVolumeClaims{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim",
                                  true};
const api::Resource kVolumes{"", "v1", "persistentvolumes", "PersistentVolume", false};
const api::Resource kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet", true};

class MoreKindsTest : public testing::Test {
 protected:
  base::Result<json::Value> Patch(const api::Resource& resource, const kube::ObjectKey& key,
                                  std::string_view patch, std::string subresource = "") {
    return server_->Patch(resource, key, kube::PatchType::kStrategic, Doc(patch),
                          {.subresource = std::move(subresource)});
  }
  void Bind(const char* pod) {
    json::Value binding = Doc("{apiVersion: v1, kind: Binding, target: {kind: Node, name: n1}}");
    binding.Mutable("metadata").Set("name", pod).Set("namespace", "default");
    ASSERT_TRUE(server_->Create(api::kPods, binding, {.subresource = "binding"}));
  }
  bool Exists(const api::Resource& resource, const kube::ObjectKey& key) {
    server_.stepper.RunUntilIdle();
    return server_->Get(resource, key).ok();
  }

  TestServer server_;
};

TEST_F(MoreKindsTest, AServicePortLeadsToTheSamePortUnlessItSaysOtherwise) {
  const json::Value service = server_.MustCreate(kServices, R"(
{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default},
 spec: {ports: [{name: a, port: 80}, {name: b, port: 81, targetPort: http}]}})");
  EXPECT_EQ(service["spec"]["ports"].At(0)["targetPort"], json::Value(80));
  EXPECT_EQ(service["spec"]["ports"].At(1)["targetPort"].AsString(), "http");
}

TEST_F(MoreKindsTest, ANodeIsRegisteredWithItsStatus) {
  const json::Value node = server_.MustCreate(api::kNodes, R"(
{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {podCIDR: 10.1.0.0/24},
 status: {capacity: {cpu: "4"}}})");
  EXPECT_EQ(node["status"]["allocatable"]["cpu"].AsString(), "4");
  EXPECT_EQ(node["spec"]["podCIDRs"].At(0).AsString(), "10.1.0.0/24");
  EXPECT_FALSE(Patch(api::kNodes, {"", "n1"}, "{spec: {podCIDR: 10.2.0.0/24}}"));
  EXPECT_FALSE(Patch(api::kNodes, {"", "n1"}, "{status: {capacity: {cpu: '-1'}}}", "status"));
}

TEST_F(MoreKindsTest, APodTemplateIsHeldToTheRulesOfPods) {
  const api::Resource templates{"", "v1", "podtemplates", "PodTemplate", true};
  const auto refused = server_->Create(templates, Doc(R"(
{apiVersion: v1, kind: PodTemplate, metadata: {name: t, namespace: default},
 template: {spec: {containers: [{name: c}]}}})"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(),
              HasSubstr("template.spec.containers[0].image: Required value"));
  const json::Value taken = server_.MustCreate(templates, R"(
{apiVersion: v1, kind: PodTemplate, metadata: {name: t, namespace: default},
 template: {spec: {containers: [{name: c, image: i}]}}})");
  EXPECT_EQ(taken["template"]["spec"]["restartPolicy"].AsString(), "Always");
  EXPECT_EQ(taken["metadata"]["generation"].AsInt(), 1);
  const auto changed =
      Patch(templates, {"default", "t"}, "{template: {spec: {terminationGracePeriodSeconds: 5}}}");
  ASSERT_TRUE(changed) << changed.error().message();
  EXPECT_EQ((*changed)["metadata"]["generation"].AsInt(), 2);
}

TEST_F(MoreKindsTest, NewObjectsHaveAnEmptyStatus) {
  const json::Value set = server_.MustCreate(kDaemonSets, R"(
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, namespace: default},
 spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}},
   spec: {containers: [{name: c, image: i}]}}}, status: {numberReady: 7}})");
  EXPECT_EQ(set["status"]["numberReady"], json::Value(0));
  EXPECT_EQ(set["status"]["desiredNumberScheduled"], json::Value(0));
  EXPECT_EQ(kube::Annotation(set, "deprecated.daemonset.template.generation"), "1");
}

TEST_F(MoreKindsTest, PodsKeepTheirTolerationsForOutagesAndListTheirAddress) {
  ASSERT_TRUE(server_->Create(api::kPods, PodDoc("p")));
  const auto replaced = Patch(api::kPods, {"default", "p"},
                              "{spec: {tolerations: [{key: extra, operator: Exists}]}}");
  ASSERT_TRUE(replaced) << replaced.error().ToString();
  EXPECT_EQ((*replaced)["spec"]["tolerations"].size(), 3u);
  const auto running = Patch(api::kPods, {"default", "p"}, "{status: {podIP: 10.0.0.1}}", "status");
  ASSERT_TRUE(running);
  EXPECT_EQ((*running)["status"]["podIPs"].At(0)["ip"].AsString(), "10.0.0.1");
}

TEST_F(MoreKindsTest, EphemeralContainersComeLaterAndStay) {
  const auto add = [&](std::string_view containers) {
    return Patch(api::kPods, {"default", "p"},
                 "{spec: {ephemeralContainers: " + std::string(containers) + "}}",
                 "ephemeralcontainers");
  };
  json::Value early = PodDoc("early");
  early.Mutable("spec").Set("ephemeralContainers", Doc("[{name: e, image: i}]"));
  EXPECT_THAT(server_->Create(api::kPods, early).error().message(),
              HasSubstr("cannot be set on create"));
  ASSERT_TRUE(server_->Create(api::kPods, PodDoc("p")));
  const auto added = add("[{name: debug, image: i, targetContainerName: main}]");
  ASSERT_TRUE(added) << added.error().ToString();
  EXPECT_EQ((*added)["spec"]["ephemeralContainers"].At(0)["name"].AsString(), "debug");
  EXPECT_THAT(add("[{name: main, image: i}]").error().message(), HasSubstr("Duplicate value"));
  EXPECT_THAT(add("[{name: x, image: i, ports: [{containerPort: 1}]}]").error().message(),
              HasSubstr("cannot be set for an Ephemeral Container"));
  EXPECT_THAT(add("[{$patch: delete, name: debug}]").error().message(),
              HasSubstr("existing ephemeral containers \"debug\" may not be removed"));
  EXPECT_FALSE(
      Patch(api::kPods, {"default", "p"}, "{spec: {ephemeralContainers: [{name: y, image: i}]}}"));
}

TEST_F(MoreKindsTest, AClaimStaysWhileAPodUsesIt) {
  server_.MustCreate(kVolumeClaims, R"(
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: default},
 spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}})");
  json::Value pod = PodDoc("p");
  pod.Mutable("spec").Set("volumes", Doc("[{name: v, persistentVolumeClaim: {claimName: c}}]"));
  ASSERT_TRUE(server_->Create(api::kPods, pod));
  Bind("p");
  ASSERT_TRUE(server_->Delete(kVolumeClaims, {"default", "c"}));
  EXPECT_TRUE(Exists(kVolumeClaims, {"default", "c"}));
  ASSERT_TRUE(Patch(api::kPods, {"default", "p"}, "{status: {phase: Succeeded}}", "status"));
  EXPECT_FALSE(Exists(kVolumeClaims, {"default", "c"}));
}

TEST_F(MoreKindsTest, AVolumeStaysWhileItIsBound) {
  server_.MustCreate(kVolumes, R"(
{apiVersion: v1, kind: PersistentVolume, metadata: {name: v},
 spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /tmp/x}}})");
  ASSERT_TRUE(Patch(kVolumes, {"", "v"}, "{status: {phase: Bound}}", "status"));
  ASSERT_TRUE(server_->Delete(kVolumes, {"", "v"}));
  EXPECT_TRUE(Exists(kVolumes, {"", "v"}));
  ASSERT_TRUE(Patch(kVolumes, {"", "v"}, "{status: {phase: Released}}", "status"));
  EXPECT_FALSE(Exists(kVolumes, {"", "v"}));
}

TEST_F(MoreKindsTest, SystemPriorityClassesStay) {
  EXPECT_THAT(
      server_->Delete(api::kPriorityClasses, {"", "system-node-critical"}).error().message(),
      HasSubstr("this is a system priority class and cannot be deleted"));
}

}  // namespace
}  // namespace coppice::server
