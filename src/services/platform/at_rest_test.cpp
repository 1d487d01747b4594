// Whatever the Config says, a platform that is deployed writes nothing more.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/object.h"
#include "services/platform/controller.h"
#include "services/platform/model/kinds.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::platform {
namespace {

struct Valid {
  std::string config;
  std::vector<std::string> shards = {"default", "pool-a"};
};

void PrintTo(const Valid& valid, std::ostream* out) {
  *out << "{" << valid.config << "} with " << valid.shards.size() << " shards";
}

std::vector<Valid> ValidConfigs() {
  std::vector<Valid> valid = {
      {""},
      {"", {}},
      {"global: {singleProcess: true}"},
      {"global: {singleProcess: true}, scheduler: {service: {enabled: false}}"},
      {"global: {singleProcess: true, replicaCount: 2}"},
      {"global: {replicaCount: 3, vpa: {enabled: true}}"},
      {"global: {openshift: true, jsonLog: true, imagesPullSecret: one, "
       "additionalImagePullSecrets: [two], priorityClassName: system-cluster-critical}"},
      {"global: {podLabelSelector: {a: b}, namespaceLabelSelector: {c: d}, nodeSelector: {e: f}, "
       "tolerations: [{operator: Exists}], requireDefaultPodAntiAffinityTerm: true}"},
      {"global: {securityContext: {}}, scheduler: {replicas: 2}"},
      {"prometheus: {enabled: true}"},
      {"prometheus: {enabled: true, serviceMonitor: {enabled: false}}"},
      {"prometheus: {externalPrometheusUrl: prom.example:9090}"},
      {"queueController: {webhooks: {enableValidation: false}}"},
      {"binder: {resourceReservation: {namespace: kai-scheduler, serviceAccountName: binder}}, "
       "global: {additionalImagePullSecrets: [one]}"},
      {"admission: {validatingWebhookConfigurationName: kai-queue-validation-v2}"},
      {"global: {schedulerName: pod}", {"grouper"}},
      {"numaPlacementExporter: {service: {enabled: true}}"},
  };
  for (const char* block : {"podGrouper", "binder", "admission", "scheduler", "queueController",
                            "podGroupController", "nodeScaleAdjuster", "numaPlacementExporter"}) {
    valid.push_back({fmt::format("{}: {{service: {{enabled: false}}}}", block)});
    valid.push_back({fmt::format(
        "{}: {{replicas: 2, service: {{podDisruptionBudget: {{enabled: true}}}}}}", block)});
  }
  return valid;
}

class PlatformAtRest : public ::testing::TestWithParam<Valid> {
 protected:
  PlatformAtRest() {
    cluster.Create(api::kNamespaces,
                   "{apiVersion: v1, kind: Namespace, metadata: {name: kai-scheduler}}");
    for (const api::Resource& kind : {kVerticalAutoscalers, kPrometheuses, kServiceMonitors}) {
      InstallOpenCrd(kind);
    }
  }

  void InstallOpenCrd(const api::Resource& kind) {
    const base::Status installed = cluster.server->InstallCrd(Doc(fmt::format(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: "
        "{0}.{1}, annotations: {{api-approved.kubernetes.io: unapproved}}}}, spec: {{group: {1}, "
        "scope: Namespaced, names: {{kind: {2}, plural: {0}}}, "
        "versions: [{{name: {3}, served: true, storage: true, schema: {{openAPIV3Schema: {{type: "
        "object, x-kubernetes-preserve-unknown-fields: true}}}}}}]}}}}",
        kind.plural, kind.group, kind.kind, kind.version)));
    ASSERT_TRUE(installed) << installed.error().ToString();
  }

  void Deploy(const Valid& valid) {
    cluster.Create(api::kConfigs, fmt::format("{{apiVersion: kai.scheduler/v1, kind: Config, "
                                              "metadata: {{name: kai-config}}, spec: {{{}}}}}",
                                              valid.config));
    for (const std::string& name : valid.shards) {
      cluster.Create(api::kSchedulingShards,
                     fmt::format("{{apiVersion: kai.scheduler/v1, kind: SchedulingShard, "
                                 "metadata: {{name: {}}}}}",
                                 name));
    }
    AddToManager(*cluster.manager,
                 {.make_certificate =
                      [](const std::string& host, base::Time now, base::Duration validity) {
                        return http::MakeCertificateAuthority(host, now, validity);
                      },
                  .probe = [](const std::string&, base::Duration) { return base::Status(); }});
    cluster.Start();
  }

  std::string Version() { return cluster.client().List(api::kPods)->resource_version; }

  TestCluster cluster{1};
};

TEST_P(PlatformAtRest, WritesNothing) {
  Deploy(GetParam());
  ASSERT_TRUE(cluster.stepper.RunFor(std::chrono::minutes(5))) << "it never comes to rest";
  const std::string before = Version();
  ASSERT_TRUE(cluster.stepper.RunFor(std::chrono::hours(1)));
  EXPECT_EQ(Version(), before) << "it writes for ever";
}

INSTANTIATE_TEST_SUITE_P(All, PlatformAtRest, ::testing::ValuesIn(ValidConfigs()),
                         [](const auto& valid) { return std::to_string(valid.index); });

}  // namespace
}  // namespace coppice::services::platform
