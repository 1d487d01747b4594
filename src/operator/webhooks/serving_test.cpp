// The webhooks end to end: an API server calls them over HTTPS with a generated certificate.
#include "operator/webhooks/serving.h"

#include <gtest/gtest.h>

#include "api/grove/crds.h"
#include "api/well_known.h"
#include "base/base64.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"
#include "server/api_server.h"

namespace coppice::operators::webhooks {
namespace {

using json::Value;

Value Set(const std::string& clique_spec = "") {
  return *json::ParseYaml(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: app, namespace: "
      "default}, spec: {replicas: 1, template: {cliques: [{name: w, spec: {roleName: w, replicas: "
      "2, podSpec: {containers: [{name: c, image: i}]}" +
      clique_spec + "}}]}}}");
}

Value ChildOf(const std::string& set) {
  return *json::ParseYaml(
      "{apiVersion: v1, kind: Service, metadata: {name: child, namespace: default, labels: "
      "{app.kubernetes.io/managed-by: grove-operator, app.kubernetes.io/part-of: " +
      set + "}}, spec: {clusterIP: None}}");
}

class Served : public ::testing::Test {
 protected:
  Served() {
    server_ = *server::ApiServer::Make({.clock = &executor_.clock(), .seed = 3});
    client_ = server_->NewClient(executor_);
    for (const Value& crd : api::grove::Crds()) EXPECT_TRUE(server_->InstallCrd(crd));
    config_.backends.profiles = {{.name = "default-scheduler", .backend = "default"}};
    config_.operator_user = "system:serviceaccount:grove:operator";
    manager_ = kube::Manager::Make(*client_, executor_);
    std::shared_ptr<backends::Backends> backends =
        *backends::MakeBackends(*manager_, config_.backends);
    const auto admission = std::make_shared<const Admission>(config_, backends, *client_);
    reviewer_ = std::make_shared<const Reviewer>(
        config_, admission,
        [this](const std::string& ns, const std::string& name) -> std::optional<Value> {
          auto set = client_->Get(api::kPodCliqueSets, {ns, name});
          if (!set) return std::nullopt;
          return *std::move(set);
        });
    webhooks_ = std::make_unique<ServedWebhooks>(*client_, executor_,
                                                 ServingOptions{.bind_address = "127.0.0.1",
                                                                .port = 0,
                                                                .url = "https://127.0.0.1:0",
                                                                .authorizer = true},
                                                 reviewer_);
  }
  ~Served() override {
    webhooks_->Stop();
    manager_->Stop();
    client_.reset();
    executor_.Stop();
  }

  kube::ThreadExecutor executor_;
  Config config_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::Manager> manager_;
  std::shared_ptr<const Reviewer> reviewer_;
  std::unique_ptr<ServedWebhooks> webhooks_;
};

TEST_F(Served, DefaultsAndRefusesThroughTheApiServer) {
  EXPECT_FALSE(webhooks_->Ready());
  const base::Status started = webhooks_->Start();
  ASSERT_TRUE(started) << started.error().ToString();
  EXPECT_TRUE(webhooks_->Ready());
  const auto created = client_->Create(api::kPodCliqueSets, Set());
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_EQ((*created)["spec"]["template"]["terminationDelay"].AsString(), "4h0m0s");
  Value bad = Set(", minAvailable: 3");
  bad.Mutable("metadata").Set("name", "bad");
  const auto refused = client_->Create(api::kPodCliqueSets, bad);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message(),
      "admission webhook \"pcs.validating.webhooks.grove.io\" denied the request: "
      "spec.template.cliques[0].spec.minAvailable: Invalid value: 3: minAvailable must not be "
      "greater than replicas");
}

// If everything is installed at once, the set has no defaults yet; applying them must not count as
// a change of immutable fields.
TEST_F(Served, ASetThatIsOlderThanTheWebhooksCanBeUpdated) {
  ASSERT_TRUE(client_->Create(api::kPodCliqueSets, Set()));
  ASSERT_TRUE(webhooks_->Start());
  const auto patch = [&](const std::string& yaml) {
    return client_->Patch(api::kPodCliqueSets, {"default", "app"}, kube::PatchType::kMerge,
                          *json::ParseYaml(yaml));
  };
  const auto finalized = patch("{metadata: {finalizers: [example.com/wait]}}");
  ASSERT_TRUE(finalized) << finalized.error().message();
  EXPECT_EQ((*finalized)["spec"]["template"]["cliques"].At(0)["spec"]["minAvailable"].AsInt(), 2);
  EXPECT_TRUE(patch("{spec: {replicas: 2}}"));
  const auto refused = patch(
      "{spec: {template: {cliques: [{name: w, spec: {roleName: w, replicas: 2, minAvailable: 1, "
      "podSpec: {containers: [{name: c, image: i}]}}}]}}}");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("field is immutable"), std::string::npos);
}

TEST_F(Served, ARestartPolicyThatSaysLessThanItSeemsIsWarnedAbout) {
  const auto warnings = [&](const std::string& policy) {
    Value set = Set(", minAvailable: 2");
    Value& tmpl = set.Mutable("spec").Mutable("template");
    tmpl.Set("cliqueStartupType", "CliqueStartupTypeAnyOrder").Set("terminationDelay", "4h");
    Value& clique = tmpl.Mutable("cliques").MutableAt(0);
    clique.Mutable("spec").Mutable("podSpec").Set("restartPolicy", policy);
    Value review = *json::ParseYaml(
        "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, operation: "
        "CREATE, namespace: default}}");
    review.Mutable("request").Set("object", set);
    return (*reviewer_->Answer(kValidatingPath, review))["response"]["warnings"];
  };
  EXPECT_TRUE(warnings("Always").empty());
  ASSERT_EQ(warnings("Never").size(), 1u);
  EXPECT_EQ(warnings("Never").At(0).ToString(),
            "spec.template.cliques[0].spec.podSpec.restartPolicy: pods of a clique are kept "
            "running; \"Never\" only decides how their containers restart");
}

// Like Grove's webhook, which decodes a set before it validates it.
TEST_F(Served, ADurationThatGoCannotReadIsRefusedInItsWords) {
  Config config = config_;
  config.backends.policy = &backends::CompatibilityPolicy::Grove();
  const auto admission = std::make_shared<const Admission>(config, nullptr, *client_);
  const Reviewer reviewer(config, admission, nullptr);
  Value set = Set();
  set.Mutable("spec").Mutable("template").Set("terminationDelay", "2d");
  Value review = *json::ParseYaml(
      "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, operation: "
      "CREATE, namespace: default}}");
  review.Mutable("request").Set("object", set);
  const Value refused = (*reviewer.Answer(kDefaultingPath, review))["response"];
  EXPECT_FALSE(refused["allowed"].AsBool(true));
  EXPECT_EQ(json::Write(refused["status"]),
            R"({"code":400,"message":"time: unknown unit \"d\" in duration \"2d\""})");
  // A set that already has it can still be updated and deleted.
  review.Mutable("request").Set("oldObject", set);
  EXPECT_TRUE((*reviewer.Answer(kDefaultingPath, review))["response"]["allowed"].AsBool());
  // Our own profile accepts days, and names the field if the value is invalid.
  review.Mutable("request").Set("oldObject", Value());
  EXPECT_TRUE((*reviewer_->Answer(kDefaultingPath, review))["response"]["allowed"].AsBool());
}

TEST_F(Served, WebhooksThatAChartLeftOutAreFilledIn) {
  const Value empty = *json::ParseYaml(
      "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, "
      "metadata: {name: podcliqueset-validating-webhook, labels: {made-by: chart}}}");
  ASSERT_TRUE(client_->Create(api::kValidatingWebhooks, empty));
  ASSERT_TRUE(webhooks_->Start());
  EXPECT_FALSE(client_->Create(api::kPodCliqueSets, Set(", minAvailable: 3")));
  const Value filled =
      *client_->Get(api::kValidatingWebhooks, {"", "podcliqueset-validating-webhook"});
  EXPECT_EQ(kube::Label(filled, "made-by"), "chart");
}

// Grove's Service has no endpoints while we run; its webhooks are restored when we stop.
TEST_F(Served, TakesTheWebhooksOfAServiceAndGivesThemBack) {
  const Value of_grove = *client_->Create(
      api::kValidatingWebhooks,
      MakeConfigurations({.url = "", .ns = "grove-system"}, "of grove", false).at(1));
  ASSERT_TRUE(webhooks_->Start());
  EXPECT_FALSE(client_->Create(api::kPodCliqueSets, Set(", minAvailable: 3")));
  EXPECT_TRUE(client_->Create(api::kPodCliqueSets, Set()));
  webhooks_->Stop();
  const auto left = client_->List(api::kValidatingWebhooks);
  ASSERT_EQ(left->items.size(), 1u);
  EXPECT_EQ(left->items[0]["webhooks"], of_grove["webhooks"]);
  EXPECT_TRUE(left->items[0]["metadata"]["annotations"].empty());
}

// A chart's upgrade in the meantime writes its own fields to the webhook, as a merge by name and as
// a server-side apply. A Service next to a URL would be rejected.
TEST_F(Served, AChartIsUpgradedWhileItsWebhookIsTaken) {
  const Value chart = MakeConfigurations({.url = "", .ns = "grove-system"}, "", false).at(1);
  const api::ObjectKey key{"", std::string(kube::Name(chart))};
  const auto apply = [&] {
    return client_->Patch(api::kValidatingWebhooks, key, kube::PatchType::kApply, chart,
                          {.field_manager = "helm"});
  };
  ASSERT_TRUE(apply());
  ASSERT_TRUE(webhooks_->Start());
  const Value merge = Value::Object({{"webhooks", Value::Array({chart["webhooks"].At(0)})}});
  for (const kube::PatchType type : {kube::PatchType::kStrategic, kube::PatchType::kApply}) {
    const auto upgraded = type == kube::PatchType::kApply
                              ? apply()
                              : client_->Patch(api::kValidatingWebhooks, key, type, merge);
    ASSERT_TRUE(upgraded) << upgraded.error().message();
    EXPECT_FALSE(client_->Create(api::kPodCliqueSets, Set(", minAvailable: 3")));
    EXPECT_TRUE(client_->Create(api::kPodCliqueSets, Set(), {.dry_run = true}));
  }
}

// A chart's Secret keeps its labels: with our labels, the authorizer would keep the chart from
// changing it.
TEST_F(Served, TheSecretOfAChartGetsACertificateAndNoLabels) {
  const Value secret = *json::ParseYaml(
      "{apiVersion: v1, kind: Secret, metadata: {name: cert, namespace: default, labels: "
      "{app.kubernetes.io/managed-by: Helm}}, type: kubernetes.io/tls, data: {tls.crt: '', "
      "tls.key: ''}}");
  ASSERT_TRUE(client_->Create(api::kSecrets, secret));
  const auto made =
      EnsureCertificate(*client_, {"default", "cert"}, ServiceHosts("grove"), executor_.Now());
  ASSERT_TRUE(made) << made.error().message();
  const Value filled = *client_->Get(api::kSecrets, {"default", "cert"});
  EXPECT_EQ(filled["metadata"]["labels"], secret["metadata"]["labels"]);
  EXPECT_FALSE(filled["data"]["tls.crt"].AsString().empty());
  ASSERT_TRUE(
      EnsureCertificate(*client_, {"default", "own"}, ServiceHosts("grove"), executor_.Now()));
  EXPECT_EQ(
      kube::Label(*client_->Get(api::kSecrets, {"default", "own"}), "app.kubernetes.io/managed-by"),
      "grove-operator");
}

// On another port: the killed process could not remove its webhooks.
TEST_F(Served, ASuccessorIsCalledInsteadOfWhoWasKilled) {
  ASSERT_TRUE(InstallConfigurations(*client_, {.url = "https://127.0.0.1:1", .ns = ""}, "", false));
  ASSERT_TRUE(webhooks_->Start());
  EXPECT_TRUE(client_->Create(api::kPodCliqueSets, Set()));
}

TEST_F(Served, ChildrenAreProtectedFromEverybodyElse) {
  ASSERT_TRUE(webhooks_->Start());
  ASSERT_TRUE(client_->Create(api::kPodCliqueSets, Set()));
  Value child = *client_->Create(api::kServices, ChildOf("app"));
  child.Mutable("metadata").Mutable("labels").Set("changed", "yes");
  const auto refused = client_->Update(api::kServices, child);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("authorizer.webhooks.grove.io"), std::string::npos)
      << refused.error().message();
  const Value unprotected = *json::ParseYaml(
      "{metadata: {annotations: {grove.io/disable-managed-resource-protection: 'true'}}}");
  ASSERT_TRUE(client_->Patch(api::kPodCliqueSets, {"default", "app"}, kube::PatchType::kMerge,
                             unprotected));
  EXPECT_TRUE(client_->Update(api::kServices, child));
}

TEST_F(Served, AReplacedSecretIsTakenUp) {
  ASSERT_TRUE(webhooks_->Start());
  const std::string first = webhooks_->ca_pem();
  ASSERT_TRUE(client_->Delete(api::kSecrets, {"default", "grove-webhook-server-cert"}));
  webhooks_->Stop();
  ServedWebhooks again(*client_, executor_,
                       {.bind_address = "127.0.0.1", .port = 0, .url = "https://127.0.0.1:0"},
                       reviewer_);
  ASSERT_TRUE(again.Start());
  EXPECT_NE(again.ca_pem(), first);
  const Value configuration =
      *client_->Get(api::kValidatingWebhooks, {"", "podcliqueset-validating-webhook"});
  EXPECT_EQ(
      base::Base64Decode(configuration["webhooks"].At(0)["clientConfig"]["caBundle"].AsString())
          .value_or(""),
      again.ca_pem());
}

TEST_F(Served, CertificatesAreKeptAndRenewedInTime) {
  const api::ObjectKey secret{"default", "cert"};
  const base::Time now = executor_.Now();
  const auto first = EnsureCertificate(*client_, secret, ServiceHosts("grove"), now);
  ASSERT_TRUE(first);
  const auto same = EnsureCertificate(*client_, secret, ServiceHosts("grove"),
                                      now + std::chrono::hours(24 * 200));
  ASSERT_TRUE(same);
  EXPECT_TRUE(*same == *first);
  const auto renewed = EnsureCertificate(*client_, secret, ServiceHosts("grove"),
                                         now + std::chrono::hours(24 * 300));
  ASSERT_TRUE(renewed);
  EXPECT_FALSE(*renewed == *first);
  const auto info = http::ReadCertificate(renewed->server.certificate_pem);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->hosts, ServiceHosts("grove"));
  EXPECT_EQ((*client_->Get(api::kSecrets, secret))["type"].AsString(), "kubernetes.io/tls");
}

TEST_F(Served, WhatIsNoReviewIsRefused) {
  EXPECT_TRUE(reviewer_->Answer("/nowhere", *json::ParseYaml("{request: {uid: a}}"))
                  .Is(base::ErrorCode::kNotFound));
  EXPECT_FALSE(reviewer_->Answer(kValidatingPath, *json::ParseYaml("{}")));
}

}  // namespace
}  // namespace coppice::operators::webhooks
