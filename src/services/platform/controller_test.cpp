#include "services/platform/controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "http/crypto/tls.h"
#include "kube/client/counting_client.h"
#include "kube/object.h"
#include "services/platform/model/kinds.h"
#include "services/scheduler/options/config_file.h"
#include "services/test_cluster_testing.h"

// The platform operator on the embedded server.
namespace coppice::services::platform {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr const char* kNs = "kai-scheduler";

class PlatformTest : public ::testing::Test {
 protected:
  PlatformTest() {
    cluster.Create(api::kNamespaces,
                   "{apiVersion: v1, kind: Namespace, metadata: {name: kai-scheduler}}");
  }

  // An elliptic key, which takes no time.
  static base::Result<http::KeyPair> QuickCertificate(const std::string& host, base::Time now,
                                                      base::Duration validity) {
    return http::MakeCertificateAuthority(host, now, validity);
  }

  void Run(Options options = {.make_certificate = QuickCertificate}) {
    AddToManager(*cluster.manager, std::move(options));
    cluster.Start();
    cluster.Settle();
  }

  void AddConfig(std::string_view spec) {
    cluster.Create(api::kConfigs, fmt::format("{{apiVersion: kai.scheduler/v1, kind: Config, "
                                              "metadata: {{name: kai-config}}, spec: {{{}}}}}",
                                              spec));
  }
  void AddShard(std::string_view name, std::string_view spec) {
    cluster.Create(api::kSchedulingShards,
                   fmt::format("{{apiVersion: kai.scheduler/v1, kind: SchedulingShard, "
                               "metadata: {{name: {}}}, spec: {{{}}}}}",
                               name, spec));
  }
  void Change(const api::Resource& resource, std::string_view name, std::string_view patch) {
    const auto patched = cluster.client().Patch(resource, {"", std::string(name)},
                                                kube::PatchType::kMerge, Doc(patch));
    ASSERT_TRUE(patched) << patched.error().ToString();
    cluster.Settle();
  }
  std::vector<std::string> Names(const api::Resource& resource) {
    std::vector<std::string> names;
    const std::string ns = resource.namespaced ? kNs : "";
    for (const json::Value& object : cluster.List(resource, ns)) {
      names.emplace_back(kube::Name(object));
    }
    return names;
  }
  json::Value Container(std::string_view deployment) {
    return cluster.Get(api::kDeployments, deployment, kNs)["spec"]["template"]["spec"]["containers"]
        .At(0);
  }
  std::vector<std::string> ArgsOf(std::string_view deployment) {
    std::vector<std::string> args;
    for (const json::Value& arg : Container(deployment)["args"].Items()) {
      args.push_back(arg.ToString());
    }
    return args;
  }
  json::Value ConditionOf(const api::Resource& resource, std::string_view name,
                          std::string_view type) {
    return kube::Condition(cluster.Get(resource, name), type);
  }
  // As a Deployment controller would, once its pods run.
  void FinishDeployments() {
    for (const json::Value& deployment : cluster.List(api::kDeployments, kNs)) {
      const int64_t replicas = deployment["spec"]["replicas"].AsInt();
      ASSERT_TRUE(cluster.client().Patch(
          api::kDeployments, kube::KeyOf(deployment), kube::PatchType::kMerge,
          Doc(fmt::format(
              "status: {{replicas: {0}, updatedReplicas: {0}, readyReplicas: {0}, "
              "availableReplicas: {0}, conditions: [{{type: Available, status: 'True'}}]}}",
              replicas)),
          {.subresource = "status"}));
    }
    cluster.Settle();
  }

  TestCluster cluster{1};
};

TEST_F(PlatformTest, DeploysEveryService) {
  AddConfig("");
  AddShard("default", "");
  Run({.images = {"registry.example/kai", "v1", ""}, .make_certificate = QuickCertificate});
  EXPECT_THAT(Names(api::kDeployments),
              ElementsAre("admission", "binder", "kai-scheduler-default", "node-scale-adjuster",
                          "pod-grouper", "podgroup-controller", "queue-controller"));
  EXPECT_THAT(Names(api::kServiceAccounts),
              IsSupersetOf({"admission", "binder", "node-scale-adjuster", "pod-grouper",
                            "podgroup-controller", "queue-controller", "scheduler"}));
  EXPECT_THAT(Names(api::kServices), ElementsAre("admission", "binder", "kai-scheduler-default",
                                                 "podgroup-controller", "queue-controller"));
  EXPECT_THAT(Names(api::kValidatingWebhooks),
              ElementsAre("kai-podgroup-validation-v2alpha2", "kai-queue-validation-v2",
                          "validating-kai-admission"));
  EXPECT_THAT(Names(api::kMutatingWebhooks), ElementsAre("mutating-kai-admission"));
  EXPECT_TRUE(cluster.Exists(api::kServiceAccounts, "kai-resource-reservation",
                             "kai-resource-reservation"));
  const json::Value container = Container("binder");
  EXPECT_EQ(container["image"].AsString(), "registry.example/kai/binder:v1");
  EXPECT_EQ(container["resources"]["limits"]["memory"].AsString(), "200Mi");
  EXPECT_EQ(container["securityContext"]["runAsUser"].AsInt(), 10000);
  const json::Value owner = kube::ControllerOwner(cluster.Get(api::kDeployments, "binder", kNs));
  EXPECT_EQ(owner["kind"].AsString(), "Config");
}

TEST_F(PlatformTest, ArgumentsFollowTheConfig) {
  AddConfig(
      "global: {schedulerName: s, jsonLog: true, replicaCount: 2, podLabelSelector: {a: b}},"
      "podGrouper: {args: {gangScheduleKnative: false}, k8sClientConfig: {qps: 7}},"
      "admission: {gpuSharing: true}, queueController: {metricsNamespace: m},"
      "binder: {maxConcurrentReconciles: 3, plugins: {hamicore: {enabled: true}}}");
  Run();
  EXPECT_THAT(ArgsOf("pod-grouper"),
              ElementsAre("--scheduler-name", "s", "--queue-label-key", "kai.scheduler/queue",
                          "--nodepool-label-key", "kai.scheduler/node-pool",
                          "--knative-gang-schedule=false", "--generic-karta-fallback=true",
                          "--pod-label-selector", "a=b", "--qps", "7", "--leader-elect",
                          "--zap-devel=false"));
  EXPECT_THAT(ArgsOf("binder"),
              IsSupersetOf({"--max-concurrent-reconciles=3", "--leader-elect", "--qps", "20",
                            "--burst", "100", "--zap-devel=false"}));
  EXPECT_THAT(ArgsOf("binder"),
              Contains(HasSubstr(R"("hamicore":{"enabled":true,"priority":50})")));
  EXPECT_THAT(ArgsOf("admission"),
              IsSupersetOf({"--gpu-sharing-enabled=true", "--hami-core-enabled=true",
                            "--gpu-fraction-runtime-class-name=nvidia"}));
  EXPECT_THAT(ArgsOf("queue-controller"),
              ElementsAre("--metrics-listen-address", ":8080", "--metrics-namespace", "m",
                          "--leader-elect", "--qps", "20", "--burst", "100", "--zap-devel=false"));
}

TEST_F(PlatformTest, SteadyStateWritesNothing) {
  AddConfig("");
  AddShard("default", "");
  Run();
  FinishDeployments();
  const auto version = [&] { return cluster.client().List(api::kPods)->resource_version; };
  cluster.Settle(std::chrono::minutes(1));
  const std::string before = version();
  cluster.Settle(std::chrono::hours(1));
  EXPECT_EQ(version(), before);
}

TEST_F(PlatformTest, ForeignLabelsSurviveAndDriftIsRepaired) {
  AddConfig("");
  Run();
  const api::ObjectKey key{kNs, "binder"};
  ASSERT_TRUE(cluster.client().Patch(api::kDeployments, key, kube::PatchType::kMerge,
                                     Doc("{metadata: {labels: {team: x}}, spec: {replicas: 5}}")));
  cluster.Settle();
  const json::Value binder = cluster.Get(api::kDeployments, "binder", kNs);
  EXPECT_EQ(kube::Label(binder, "team"), "x");
  EXPECT_EQ(binder["spec"]["replicas"].AsInt(), 1);
  ASSERT_TRUE(cluster.client().Delete(api::kServices, key));
  cluster.Settle();
  EXPECT_TRUE(cluster.Exists(api::kServices, "binder", kNs));
}

TEST_F(PlatformTest, DisabledServicesGo) {
  AddConfig("");
  Run();
  ASSERT_TRUE(cluster.Exists(api::kDeployments, "binder", kNs));
  Change(api::kConfigs, "kai-config", "spec: {binder: {service: {enabled: false}}}");
  EXPECT_FALSE(cluster.Exists(api::kDeployments, "binder", kNs));
  EXPECT_FALSE(cluster.Exists(api::kServices, "binder", kNs));
  EXPECT_TRUE(cluster.Exists(api::kDeployments, "pod-grouper", kNs));
}

TEST_F(PlatformTest, TakesOverWhatIsThere) {
  cluster.Create(
      api::kServiceAccounts,
      "{apiVersion: v1, kind: ServiceAccount, metadata: {name: binder, namespace: kai-scheduler,"
      " labels: {old: owner}}}");
  AddConfig("");
  Run();
  const json::Value account = cluster.Get(api::kServiceAccounts, "binder", kNs);
  EXPECT_EQ(kube::ControllerOwner(account)["name"].AsString(), "kai-config");
  EXPECT_EQ(kube::Label(account, "old"), "owner");
}

TEST_F(PlatformTest, OtherConfigsDoNotCount) {
  cluster.Create(api::kConfigs,
                 "{apiVersion: kai.scheduler/v1, kind: Config, metadata: {name: other}}");
  Run();
  EXPECT_TRUE(Names(api::kDeployments).empty());
}

TEST_F(PlatformTest, ConditionsTellHowItGoes) {
  AddConfig("");
  AddShard("default", "");
  Run();
  EXPECT_EQ(ConditionOf(api::kConfigs, "kai-config", "Deployed")["status"].AsString(), "True");
  const json::Value waiting = ConditionOf(api::kConfigs, "kai-config", "Available");
  EXPECT_EQ(waiting["status"].AsString(), "False");
  EXPECT_THAT(waiting["message"].ToString(), HasSubstr("Binder: Deployment kai-scheduler/binder"));
  EXPECT_EQ(ConditionOf(api::kConfigs, "kai-config", "Ready")["reason"].AsString(), "not_ready");
  FinishDeployments();
  for (const auto& [resource, name] :
       {std::pair{&api::kConfigs, "kai-config"}, {&api::kSchedulingShards, "default"}}) {
    EXPECT_EQ(ConditionOf(*resource, name, "Available")["message"].AsString(), "System available");
    EXPECT_EQ(ConditionOf(*resource, name, "DependenciesFulfilled")["status"].AsString(), "True");
    EXPECT_EQ(ConditionOf(*resource, name, "Ready")["message"].AsString(), "System is ready");
    EXPECT_EQ(ConditionOf(*resource, name, "Reconciling")["reason"].AsString(), "reconciled");
  }
}

TEST_F(PlatformTest, CertificatesStayAndAreTrusted) {
  AddConfig("");
  Run(Options());
  const auto certificate = [&] {
    return cluster.Get(api::kSecrets, "queue-webhook-tls-secret", kNs)["data"]["tls.crt"]
        .ToString();
  };
  const std::string first = certificate();
  const auto info = http::ReadCertificate(*base::Base64Decode(first));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->common_name, "queue-controller.kai-scheduler.svc");
  EXPECT_THAT(info->hosts, ElementsAre("queue-controller.kai-scheduler.svc"));
  const json::Value hooks = cluster.Get(api::kValidatingWebhooks, "kai-queue-validation-v2");
  EXPECT_EQ(hooks["webhooks"].At(0)["clientConfig"]["caBundle"].AsString(), first);
  Change(api::kConfigs, "kai-config", "spec: {queueController: {replicas: 2}}");
  EXPECT_EQ(certificate(), first);
  cluster.manager = kube::Manager::Make(cluster.client(), cluster.stepper);  // A restart.
  Run(Options());
  EXPECT_EQ(certificate(), first);
}

TEST_F(PlatformTest, WebhookConfigurationsSelectOurPods) {
  AddConfig("admission: {queueLabelSelector: true}, global: {podLabelSelector: {a: b}}");
  Run();
  const json::Value hook =
      cluster.Get(api::kMutatingWebhooks, "mutating-kai-admission")["webhooks"].At(0);
  EXPECT_EQ(hook["name"].AsString(), "admission.kai-scheduler.svc");
  EXPECT_EQ(hook["reinvocationPolicy"].AsString(), "IfNeeded");
  EXPECT_EQ(hook["matchConditions"].At(0)["expression"].AsString(),
            "object.spec.schedulerName == 'kai-scheduler'");
  EXPECT_EQ(hook["namespaceSelector"]["matchExpressions"].size(), 2);
  EXPECT_EQ(hook["objectSelector"]["matchLabels"]["a"].AsString(), "b");
  EXPECT_EQ(hook["rules"].At(0)["operations"].size(), 1);
  EXPECT_EQ(hook["failurePolicy"].AsString(), "Fail");
  const json::Value validating = cluster.Get(api::kValidatingWebhooks, "validating-kai-admission");
  EXPECT_EQ(validating["webhooks"].At(1)["name"].AsString(),
            "topology.admission.kai-scheduler.svc");
}

TEST_F(PlatformTest, InjectedSelectorsSurvive) {
  AddConfig("");
  Run();
  json::Value hooks = cluster.Get(api::kMutatingWebhooks, "mutating-kai-admission");
  json::Value& selector = hooks.Mutable("webhooks").MutableAt(0).Mutable("namespaceSelector");
  selector.Mutable("matchExpressions").Append(Doc("{key: control-plane, operator: DoesNotExist}"));
  hooks.Mutable("metadata").Mutable("annotations").Set("cloud/enforced", "true");
  ASSERT_TRUE(cluster.client().Update(api::kMutatingWebhooks, hooks));
  Change(api::kConfigs, "kai-config", "spec: {admission: {replicas: 2}}");
  const json::Value after = cluster.Get(api::kMutatingWebhooks, "mutating-kai-admission");
  EXPECT_EQ(after["webhooks"].At(0)["namespaceSelector"]["matchExpressions"].size(), 2);
  EXPECT_EQ(kube::Annotation(after, "cloud/enforced"), "true");
}

TEST_F(PlatformTest, EveryShardHasItsScheduler) {
  AddConfig("");
  AddShard("default", "");
  AddShard("pool-a",
           "partitionLabelValue: a, placementStrategy: {gpu: spread}, goMemLimit: 1Gi,"
           "args: {detailed-fit-errors: 'true', unknown-flag: x}");
  Run();
  EXPECT_THAT(
      ArgsOf("kai-scheduler-pool-a"),
      ElementsAre("--scheduler-conf=/etc/config/config.yaml", "--scheduler-name=kai-scheduler",
                  "--namespace=kai-scheduler", "--nodepool-label-key=kai.scheduler/node-pool",
                  "--partition-label-value=a",
                  "--resource-reservation-app-label=kai-resource-reservation",
                  "--queue-label-key=kai.scheduler/queue", "--listen-address=:8080",
                  "--detailed-fit-errors=true"));
  const json::Value file = cluster.Get(api::kConfigMaps, "kai-scheduler-pool-a", kNs);
  const auto config = scheduler::ParseConfigFile(file["data"]["config.yaml"].AsString());
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_THAT(config->configuration.actions, Not(Contains("consolidation")));
  const json::Value deployment = cluster.Get(api::kDeployments, "kai-scheduler-pool-a", kNs);
  EXPECT_EQ(kube::ControllerOwner(deployment)["kind"].AsString(), "SchedulingShard");
  EXPECT_EQ(
      deployment["spec"]["template"]["metadata"]["annotations"]["configMapVersion"].AsString(),
      kube::ResourceVersion(file));
  bool limited = false;
  for (const json::Value& variable : Container("kai-scheduler-pool-a")["env"].Items()) {
    limited = limited || (variable["name"].AsString() == "GOMEMLIMIT" &&
                          variable["value"].AsString() == "1073741824");
  }
  EXPECT_TRUE(limited);
  ASSERT_TRUE(cluster.client().Delete(api::kSchedulingShards, {"", "pool-a"}));
  cluster.Settle(std::chrono::minutes(1));
  EXPECT_FALSE(cluster.Exists(api::kDeployments, "kai-scheduler-pool-a", kNs));
  EXPECT_TRUE(cluster.Exists(api::kDeployments, "kai-scheduler-default", kNs));
}

TEST_F(PlatformTest, NewConfigurationRollsTheScheduler) {
  AddConfig("");
  AddShard("default", "");
  Run();
  const auto version = [&] {
    return cluster
        .Get(api::kDeployments, "kai-scheduler-default",
             kNs)["spec"]["template"]["metadata"]["annotations"]["configMapVersion"]
        .ToString();
  };
  const std::string before = version();
  Change(api::kSchedulingShards, "default", "spec: {kValue: 0.5}");
  EXPECT_NE(version(), before);
}

TEST_F(PlatformTest, BadShardsSayWhatIsWrong) {
  AddConfig("");
  AddShard("bad", "queueDepthPerAction: {bind: 1}");
  Run();
  EXPECT_THAT(ConditionOf(api::kSchedulingShards, "bad", "Deployed")["message"].ToString(),
              HasSubstr("queueDepthPerAction.bind"));
  AddShard("usage", "usageDBConfig: {clientType: prometheus}");
  cluster.Settle();
  EXPECT_THAT(ConditionOf(api::kSchedulingShards, "usage", "Deployed")["message"].ToString(),
              HasSubstr("prometheus connection string not configured"));
}

TEST_F(PlatformTest, EndpointsFollowTheLeader) {
  AddConfig("scheduler: {replicas: 2}");
  AddShard("default", "");
  Run();
  const auto addresses = [&] {
    const json::Value slice =
        cluster.Get(api::kEndpointSlices, "kai-scheduler-default-leader", kNs);
    std::vector<std::string> all;
    for (const json::Value& endpoint : slice["endpoints"].Items()) {
      all.push_back(endpoint["addresses"].At(0).ToString());
    }
    return all;
  };
  EXPECT_TRUE(addresses().empty());
  EXPECT_FALSE(cluster.Get(api::kServices, "kai-scheduler-default", kNs)["spec"].Has("selector"));
  for (const auto& [name, ip] : {std::pair{"s-1", "10.0.0.1"}, {"s-2", "10.0.0.2"}}) {
    cluster.Create(api::kPods,
                   fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: "
                               "kai-scheduler, labels: {{app: kai-scheduler-default}}}}, spec: "
                               "{{containers: [{{name: c, image: i}}]}}}}",
                               name));
    ASSERT_TRUE(cluster.client().Patch(api::kPods, {kNs, name}, kube::PatchType::kMerge,
                                       Doc(fmt::format("status: {{podIP: {}}}", ip)),
                                       {.subresource = "status"}));
  }
  cluster.Create(
      api::kLeases,
      "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: kai-scheduler, "
      "namespace: kai-scheduler}, spec: {holderIdentity: s-1_abc}}");
  cluster.Settle();
  EXPECT_THAT(addresses(), ElementsAre("10.0.0.1"));
  ASSERT_TRUE(cluster.client().Patch(api::kLeases, {kNs, "kai-scheduler"}, kube::PatchType::kMerge,
                                     Doc("spec: {holderIdentity: s-2_def}")));
  cluster.Settle();
  EXPECT_THAT(addresses(), ElementsAre("10.0.0.2"));
  ASSERT_TRUE(cluster.client().Delete(api::kPods, {kNs, "s-2"}, {.grace_period_seconds = 0}));
  cluster.Settle();
  EXPECT_TRUE(addresses().empty());
}

TEST_F(PlatformTest, DisruptionBudgetsComeWithReplicas) {
  AddConfig("admission: {replicas: 2, service: {podDisruptionBudget: {enabled: true}}}");
  Run();
  EXPECT_THAT(Names(kDisruptionBudgets), ElementsAre("admission"));
  ASSERT_TRUE(cluster.client().Delete(kDisruptionBudgets, {kNs, "admission"}));
  cluster.Settle();
  EXPECT_THAT(Names(kDisruptionBudgets), ElementsAre("admission"));
  Change(api::kConfigs, "kai-config", "spec: {admission: {replicas: 1}}");
  EXPECT_TRUE(Names(kDisruptionBudgets).empty());
}

TEST_F(PlatformTest, AutoscalersComeAndGoWithTheirToggle) {
  ASSERT_TRUE(cluster.server->InstallCrd(Doc(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: verticalpodautoscalers.autoscaling.k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, for simulated nodes and tests"}
spec:
  group: autoscaling.k8s.io
  names: {kind: VerticalPodAutoscaler, plural: verticalpodautoscalers}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
)")));
  AddConfig("global: {vpa: {enabled: true}}, admission: {vpa: {enabled: false}}");
  Run();
  EXPECT_THAT(Names(kVerticalAutoscalers), Contains("binder"));
  EXPECT_THAT(Names(kVerticalAutoscalers), Not(Contains("admission")));
  const json::Value binder = cluster.Get(kVerticalAutoscalers, "binder", kNs)["spec"];
  EXPECT_EQ(binder["targetRef"]["kind"].AsString(), "Deployment");
  EXPECT_EQ(binder["updatePolicy"]["updateMode"].AsString(), "InPlaceOrRecreate");
  Change(api::kConfigs, "kai-config", "spec: {global: {vpa: {enabled: false}}}");
  EXPECT_TRUE(Names(kVerticalAutoscalers).empty());
}

TEST_F(PlatformTest, FakeGpuNodesAreFound) {
  cluster.AddNode("n1", 1, "run.ai/fake.gpu: 'true'");
  AddConfig("");
  Run();
  EXPECT_THAT(ArgsOf("binder"), Contains("--fake-gpu-nodes"));
}

TEST_F(PlatformTest, OpenShiftAndPullSecrets) {
  AddConfig("global: {openshift: true, imagesPullSecret: one, additionalImagePullSecrets: [two]}");
  Run();
  EXPECT_FALSE(Container("binder").Has("securityContext"));
  const json::Value secrets =
      cluster.Get(api::kDeployments, "binder", kNs)["spec"]["template"]["spec"]["imagePullSecrets"];
  EXPECT_EQ(secrets, Doc("[{name: one}, {name: two}]"));
}

TEST_F(PlatformTest, NumaExporterFollowsTheShards) {
  AddConfig("");
  AddShard("default", "plugins: {numa: {enabled: true}}");
  Run();
  EXPECT_THAT(Names(kDaemonSets), ElementsAre("numa-placement-exporter"));
  Change(api::kSchedulingShards, "default", "spec: {plugins: {numa: {enabled: false}}}");
  EXPECT_TRUE(Names(kDaemonSets).empty());
  Change(api::kConfigs, "kai-config", "spec: {numaPlacementExporter: {service: {enabled: true}}}");
  EXPECT_THAT(Names(kDaemonSets), ElementsAre("numa-placement-exporter"));
  Change(api::kConfigs, "kai-config", "spec: {numaPlacementExporter: {service: {enabled: false}}}");
  EXPECT_TRUE(Names(kDaemonSets).empty());
}

TEST_F(PlatformTest, OneProcessRunsEverything) {
  AddConfig("global: {singleProcess: true}");
  AddShard("default", "");
  Run();
  EXPECT_THAT(Names(api::kDeployments), ElementsAre("kai-services"));
  EXPECT_EQ(Container("kai-services")["command"],
            Doc("[coppice, run, grouper, podgroups, queues, admission, binder, scaleadjuster, "
                "scheduler]"));
  EXPECT_TRUE(cluster.Exists(api::kConfigMaps, "kai-scheduler-default", kNs));
  const auto bundle = [&](const api::Resource& resource, const char* name) {
    return cluster.Get(resource, name)["webhooks"].At(0)["clientConfig"]["caBundle"].ToString();
  };
  EXPECT_EQ(bundle(api::kValidatingWebhooks, "kai-queue-validation-v2"),
            bundle(api::kMutatingWebhooks, "mutating-kai-admission"));
  Change(api::kConfigs, "kai-config", "spec: {global: {singleProcess: false}}");
  EXPECT_FALSE(cluster.Exists(api::kDeployments, "kai-services", kNs));
  EXPECT_TRUE(cluster.Exists(api::kDeployments, "kai-scheduler-default", kNs));
}

TEST_F(PlatformTest, ExternalPrometheusIsAsked) {
  bool works = false;
  std::vector<std::string> asked;
  AddConfig("prometheus: {externalPrometheusUrl: prom.example:9090}");
  const auto probe = [&](const std::string& url, base::Duration) -> base::Status {
    asked.push_back(url);
    if (!works) return base::Unavailable("refused");
    return {};
  };
  Run({.make_certificate = QuickCertificate, .probe = probe});
  FinishDeployments();
  cluster.Settle(std::chrono::minutes(1));
  EXPECT_THAT(asked, Contains("http://prom.example:9090"));
  const json::Value bad = ConditionOf(api::kConfigs, "kai-config", "Available");
  EXPECT_EQ(bad["reason"].AsString(), "prometheus_connection_failed");
  EXPECT_THAT(bad["message"].ToString(), HasSubstr("refused"));
  works = true;
  cluster.Settle(std::chrono::minutes(1));
  EXPECT_EQ(ConditionOf(api::kConfigs, "kai-config", "Available")["reason"].AsString(),
            "prometheus_connected");
}

TEST_F(PlatformTest, MissingPrometheusOperatorIsReported) {
  AddConfig("prometheus: {enabled: true}");
  Run();
  const json::Value missing = ConditionOf(api::kConfigs, "kai-config", "DependenciesFulfilled");
  EXPECT_EQ(missing["reason"].AsString(), "dependencies_missing");
  EXPECT_EQ(missing["message"].AsString(), "\nKAI-prometheus is missing prometheus operator");
}

}  // namespace
}  // namespace coppice::services::platform
