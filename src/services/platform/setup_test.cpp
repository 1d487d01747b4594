#include "services/platform/setup.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::platform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kKueueCrd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: topologies.kueue.x-k8s.io}
spec:
  group: kueue.x-k8s.io
  scope: Cluster
  names: {kind: Topology, plural: topologies, singular: topology}
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";
const api::Resource kTheirs{"kueue.x-k8s.io", "v1beta1", "topologies", "Topology", false};

TEST(SetupTest, TheDeployersConfigIsNoHookAnyMore) {
  TestCluster cluster;
  cluster.Create(api::kConfigs,
                 "{apiVersion: kai.scheduler/v1, kind: Config, metadata: {name: kai-config, "
                 "annotations: {helm.sh/hook: post-install, helm.sh/hook-weight: '0', mine: x}}, "
                 "spec: {global: {schedulerName: other}}}");
  const json::Value wanted =
      Doc("{apiVersion: kai.scheduler/v1, kind: Config, metadata: {name: kai-config}, "
          "spec: {global: {schedulerName: kai-scheduler}}}");
  const base::Status applied = ApplyConfig(cluster.client(), wanted);
  ASSERT_TRUE(applied) << applied.error().ToString();
  const json::Value config = cluster.Get(api::kConfigs, "kai-config", "");
  EXPECT_EQ(config["metadata"]["annotations"], Doc("{mine: x}"));
  EXPECT_EQ(config["spec"]["global"]["schedulerName"].AsString(), "kai-scheduler");
}

TEST(SetupTest, OnlyTheConfigIsTakenForAConfig) {
  TestCluster cluster;
  const base::Status applied =
      ApplyConfig(cluster.client(), Doc("{apiVersion: v1, kind: Pod, metadata: {name: p}}"));
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().message(), HasSubstr("expected a Config called kai-config"));
}

TEST(SetupTest, KueuesTopologiesAreCopiedOnce) {
  TestCluster cluster;
  EXPECT_THAT(*MigrateTopologies(cluster.client()), IsEmpty()) << "there is no Kueue";
  cluster.Create(api::kCustomResourceDefinitions, kKueueCrd);
  cluster.Create(kTheirs,
                 "{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: racks}, "
                 "spec: {levels: [{nodeLabel: example.com/block}, "
                 "{nodeLabel: kubernetes.io/hostname}]}}");
  const auto copied = MigrateTopologies(cluster.client());
  ASSERT_TRUE(copied) << copied.error().ToString();
  EXPECT_THAT(*copied, ElementsAre("racks"));
  const json::Value ours = cluster.Get(api::kTopologies, "racks", "");
  EXPECT_EQ(ours["apiVersion"].AsString(), "kai.scheduler/v1alpha1");
  EXPECT_EQ(ours["metadata"]["annotations"]["kai.scheduler/migrated-from"].AsString(),
            "kueue.x-k8s.io");
  EXPECT_EQ(ours["spec"]["levels"].At(0)["nodeLabel"].AsString(), "example.com/block");
  EXPECT_EQ(ours["spec"]["levels"].size(), 2u);
  EXPECT_THAT(*MigrateTopologies(cluster.client()), IsEmpty()) << "ours may have changed since";
}

TEST(SetupTest, WhatNoOwnerTakesAlongIsRemoved) {
  TestCluster cluster;
  const auto deployment = [&](std::string_view name, std::string_view manager) {
    cluster.Create(
        api::kDeployments,
        fmt::format("{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {}, namespace: "
                    "default, labels: {{app.kubernetes.io/managed-by: {}}}}}, spec: {{selector: "
                    "{{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: "
                    "{{containers: [{{name: c, image: i}}]}}}}}}}}",
                    name, manager));
  };
  deployment("binder", "kai-operator");
  deployment("mine", "Helm");
  cluster.Create(api::kConfigs,
                 "{apiVersion: kai.scheduler/v1, kind: Config, metadata: {name: kai-config}}");
  for (int again = 0; again < 2; ++again) {
    const base::Status done = CleanUp(cluster.client(), "default");
    ASSERT_TRUE(done) << done.error().ToString();
  }
  EXPECT_FALSE(cluster.Exists(api::kDeployments, "binder"));
  EXPECT_TRUE(cluster.Exists(api::kDeployments, "mine"));
  EXPECT_FALSE(cluster.Exists(api::kConfigs, "kai-config", ""));
}

}  // namespace
}  // namespace coppice::services::platform
