#include "services/platform/model/config_defaults.h"

#include <gtest/gtest.h>

#include "services/platform/model/affinity.h"
#include "services/platform/model/kinds.h"
#include "services/platform/model/version.h"
#include "services/platform/operands/operands.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::platform {
namespace {

json::Value With(std::string_view spec) {
  return ConfigWithDefaults(Doc(spec), {"registry.example/kai", "v1", ""});
}

TEST(ConfigDefaultsTest, TableOfServices) {
  const json::Value spec = With("{}");
  const auto check = [&](const char* block, const char* image, const char* cpu, const char* memory,
                         const char* limit) {
    const json::Value& service = spec[block]["service"];
    EXPECT_EQ(ImageUrl(view::kai::ConfigImage(service["image"])),
              std::string("registry.example/kai/") + image + ":v1");
    EXPECT_EQ(service["resources"]["requests"]["cpu"].AsString(), cpu) << block;
    EXPECT_EQ(service["resources"]["requests"]["memory"].AsString(), memory) << block;
    EXPECT_EQ(service["resources"]["limits"]["memory"].AsString(), limit) << block;
    EXPECT_EQ(service["k8sClientConfig"]["qps"].AsInt(), 20) << block;
    EXPECT_EQ(service["podDisruptionBudget"]["maxUnavailable"].AsInt(), 1) << block;
  };
  check("podGrouper", "podgrouper", "50m", "256Mi", "512Mi");
  check("binder", "binder", "50m", "200Mi", "200Mi");
  check("admission", "admission", "50m", "256Mi", "512Mi");
  check("scheduler", "scheduler", "250m", "512Mi", "512Mi");
  check("queueController", "queuecontroller", "50m", "256Mi", "512Mi");
  check("podGroupController", "podgroupcontroller", "50m", "256Mi", "512Mi");
  check("nodeScaleAdjuster", "nodescaleadjuster", "50m", "256Mi", "512Mi");
  check("numaPlacementExporter", "numa-placement-exporter", "50m", "256Mi", "512Mi");
  EXPECT_EQ(spec["namespace"].AsString(), "kai-scheduler");
  EXPECT_EQ(spec["scheduler"]["GOGC"].AsInt(), 400);
  EXPECT_EQ(spec["prometheus"]["retentionPeriod"].AsString(), "2w");
  EXPECT_EQ(spec["numaPlacementExporter"]["nodeSelector"]["feature.node.kubernetes.io/memory-numa"]
                .AsString(),
            "true");
  EXPECT_FALSE(spec["nodeScaleAdjuster"].Has("replicas"));
}

TEST(ConfigDefaultsTest, ReplicasAndAutoscalingFallBackToTheGlobalOnes) {
  const json::Value spec =
      With("{global: {replicaCount: 3, vpa: {enabled: true}}, binder: {replicas: 1}}");
  EXPECT_EQ(spec["admission"]["replicas"].AsInt(), 3);
  EXPECT_EQ(spec["binder"]["replicas"].AsInt(), 1);
  EXPECT_TRUE(spec["admission"]["vpa"]["enabled"].AsBool());
  EXPECT_EQ(spec["admission"]["vpa"]["updatePolicy"]["updateMode"].AsString(), "InPlaceOrRecreate");
}

TEST(ConfigDefaultsTest, TheDeprecatedRuntimeClassWins) {
  EXPECT_EQ(With("{}")["admission"]["gpuFractionRuntimeClassName"].AsString(), "nvidia");
  EXPECT_FALSE(With("{admission: {gpuPodRuntimeClassName: x}}")["admission"].Has(
      "gpuFractionRuntimeClassName"));
}

TEST(ConfigDefaultsTest, OneImageForAll) {
  const json::Value spec =
      ConfigWithDefaults(Doc("{binder: {service: {image: {tag: v2}}}}"),
                         {"ignored", "ignored", "registry.example:5000/x/coppice:v1"});
  const view::kai::ConfigSpec full(spec);
  EXPECT_EQ(ImageUrl(full.scheduler().service().image()), "registry.example:5000/x/coppice:v1");
  EXPECT_EQ(ImageUrl(full.binder().service().image()), "registry.example:5000/x/coppice:v2");
}

TEST(AffinityTest, PartsMergeAndReplicasKeepApart) {
  const json::Value own = Doc("{nodeAffinity: {a: 1}}");
  const auto affinity = [&](const json::Value& global) {
    return AffinityOf("x", view::core::Affinity(own), view::kai::ConfigGlobal(global));
  };
  const json::Value global = Doc("{affinity: {nodeAffinity: {b: 1}, podAffinity: {c: 1}}}");
  const json::Value both = affinity(global);
  EXPECT_TRUE(both["nodeAffinity"].Has("a"));
  EXPECT_TRUE(both["podAffinity"].Has("c"));
  EXPECT_EQ(both["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
                .At(0)["weight"]
                .AsInt(),
            100);
  EXPECT_FALSE(affinity(Doc("{}")).Has("podAntiAffinity"));
  const json::Value required = affinity(Doc("{requireDefaultPodAntiAffinityTerm: true}"));
  EXPECT_TRUE(required["podAntiAffinity"].Has("requiredDuringSchedulingIgnoredDuringExecution"));
}

TEST(CdiTest, FourPoliciesAndTheExplicitAnswer) {
  const auto enabled = [](std::string_view policy, std::string_view spec = "{}") {
    Surroundings cluster;
    cluster.cluster_policy = Doc(policy);
    const json::Value full = With(spec);
    return CdiEnabled(view::kai::ConfigSpec(full), cluster);
  };
  EXPECT_FALSE(enabled("{}"));
  EXPECT_FALSE(enabled("{spec: {cdi: {enabled: true}}}"));
  EXPECT_TRUE(enabled("{spec: {cdi: {enabled: true, default: true}}}"));
  EXPECT_TRUE(
      enabled("{metadata: {labels: {app.kubernetes.io/version: v25.10.0}},"
              " spec: {cdi: {enabled: true}}}"));
  EXPECT_FALSE(
      enabled("{metadata: {labels: {app.kubernetes.io/version: v25.3.4}},"
              " spec: {cdi: {enabled: true}}}"));
  EXPECT_FALSE(
      enabled("{spec: {cdi: {enabled: true, default: true}}}", "{binder: {cdiEnabled: false}}"));
  EXPECT_TRUE(enabled("{}",
                      "{binder: {cdiEnabled: false, plugins: {gpusharing: {arguments: "
                      "{cdiEnabled: 'true'}}}}}"));
}

TEST(VersionTest, Compares) {
  EXPECT_TRUE(IsAtLeast("v25.10.0", "v25.10.0"));
  EXPECT_TRUE(IsAtLeast("26.1", "v25.10.0"));
  EXPECT_FALSE(IsAtLeast("v25.9.9", "v25.10.0"));
  EXPECT_FALSE(IsAtLeast("latest", "v25.10.0"));
}

class PrometheusTest : public ::testing::Test {
 protected:
  const json::Value* Find(const Objects& objects, const api::Resource& resource) {
    for (const Desired& object : objects) {
      if (object.resource == resource) return &object.object;
    }
    return nullptr;
  }
  Objects Make(std::string_view spec) {
    const json::Value full = With(spec);
    return *PrometheusObjects(view::kai::ConfigSpec(full), cluster);
  }

  Surroundings cluster{.now = *base::ParseRfc3339("2026-03-01T00:00:00Z"),
                       .serves_prometheus = true,
                       .serves_service_monitors = true};
};

TEST_F(PrometheusTest, InternalInstance) {
  const Objects objects = Make("{prometheus: {enabled: true}}");
  const json::Value* instance = Find(objects, kPrometheuses);
  ASSERT_TRUE(instance);
  const json::Value& spec = (*instance)["spec"];
  EXPECT_EQ(spec["retention"].AsString(), "2w");
  EXPECT_EQ(
      spec["storage"]["volumeClaimTemplate"]["spec"]["resources"]["requests"]["storage"].AsString(),
      "50Gi");
  EXPECT_EQ(spec["serviceMonitorSelector"]["matchLabels"]["kai.scheduler/accounting"].AsString(),
            "true");
  EXPECT_TRUE(Find(objects, kServiceMonitors));
  EXPECT_EQ((*Find(objects, api::kServices))["metadata"]["name"].AsString(), "usage-prometheus");
}

TEST_F(PrometheusTest, ExternalOnlyNeedsMonitors) {
  const Objects objects = Make("{prometheus: {enabled: true, externalPrometheusUrl: 'http://p'}}");
  EXPECT_FALSE(Find(objects, kPrometheuses));
  EXPECT_EQ(objects.size(), 2);
}

TEST_F(PrometheusTest, RetiresGracefully) {
  json::Value live = Doc("{metadata: {name: prometheus}, spec: {retention: 2d}}");
  cluster.live = [&](const api::Resource& resource,
                     const api::ObjectKey&) -> std::optional<json::Value> {
    if (resource != kPrometheuses) return std::nullopt;
    return live;
  };
  Objects kept = Make("{}");
  const json::Value* instance = Find(kept, kPrometheuses);
  ASSERT_TRUE(instance);
  const std::string since =
      (*instance)["metadata"]["annotations"]["kai/deprecation-timestamp"].ToString();
  EXPECT_EQ(since, "2026-03-01T00:00:00Z");
  live.Mutable("metadata").Mutable("annotations").Set("kai/deprecation-timestamp", since);
  cluster.now += std::chrono::hours(47);
  EXPECT_TRUE(Find(Make("{}"), kPrometheuses));
  cluster.now += std::chrono::hours(2);
  EXPECT_FALSE(Find(Make("{}"), kPrometheuses));
  live.Mutable("metadata").Mutable("annotations").Set("kai/deprecation-timestamp", "garbage");
  kept = Make("{}");
  EXPECT_EQ((*Find(kept, kPrometheuses))["metadata"]["annotations"]["kai/deprecation-timestamp"]
                .AsString(),
            base::FormatRfc3339(cluster.now));
}

}  // namespace
}  // namespace coppice::services::platform
