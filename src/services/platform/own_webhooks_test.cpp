#include "services/platform/own_webhooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "base/base64.h"
#include "kube/client/counting_client.h"
#include "kube/object.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::platform {
namespace {

using ::testing::HasSubstr;

OwnWebhooks Everything() {
  OwnWebhooks webhooks{.ns = "default", .service = "coppice-all"};
  webhooks.pods = webhooks.queues = webhooks.pod_groups = true;
  // An elliptic key, which takes no time.
  webhooks.make_certificate = [](const std::string& host, base::Time now, base::Duration validity) {
    return http::MakeCertificateAuthority(host, now, validity);
  };
  return webhooks;
}

TEST(OwnWebhooksTest, ReplicasShareOneCertificateWhichTheApiServerTrusts) {
  TestCluster cluster;
  const base::Time now = cluster.stepper.Now();
  const auto first = EnsureOwnCertificate(cluster.client(), Everything(), now);
  ASSERT_TRUE(first) << first.error().ToString();
  const auto second = EnsureOwnCertificate(cluster.client(), Everything(), now);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->key_pem, second->key_pem);
  ASSERT_TRUE(RegisterWebhooks(cluster.client(), Everything(), now));
  for (const char* name : {"validating-kai-admission", "kai-queue-validation-v2",
                           "kai-podgroup-validation-v2alpha2"}) {
    const json::Value made = cluster.Get(api::kValidatingWebhooks, name, "");
    ASSERT_GT(made["webhooks"].size(), 0u) << name;
    const json::Value& client = made["webhooks"].At(0)["clientConfig"];
    EXPECT_EQ(*base::Base64Decode(client["caBundle"].AsString()), first->certificate_pem);
    EXPECT_EQ(client["service"]["name"].AsString(), "coppice-all");
    EXPECT_EQ(client["service"]["namespace"].AsString(), "default");
  }
  EXPECT_EQ(cluster.Get(api::kMutatingWebhooks, "mutating-kai-admission", "")["webhooks"].size(),
            1u);
}

TEST(OwnWebhooksTest, ConfigurationsThatTheChartLeftEmptyAreFilledOnce) {
  TestCluster cluster;
  cluster.Create(api::kValidatingWebhooks,
                 "{apiVersion: admissionregistration.k8s.io/v1, kind: "
                 "ValidatingWebhookConfiguration, metadata: {name: kai-queue-validation-v2, "
                 "labels: {app.kubernetes.io/managed-by: Helm}}}");
  OwnWebhooks queues = Everything();
  queues.pods = queues.pod_groups = false;
  ASSERT_TRUE(EnsureOwnCertificate(cluster.client(), queues, cluster.stepper.Now()));
  kube::CountingClient counting(cluster.client());
  ASSERT_TRUE(RegisterWebhooks(counting, queues, cluster.stepper.Now()));
  EXPECT_EQ(counting.Writes(), 1);
  ASSERT_TRUE(RegisterWebhooks(counting, queues, cluster.stepper.Now()));
  EXPECT_EQ(counting.Writes(), 1) << "nothing changed, nothing is written";
  const json::Value filled = cluster.Get(api::kValidatingWebhooks, "kai-queue-validation-v2", "");
  EXPECT_EQ(filled["webhooks"].At(0)["name"].AsString(), "queue-validation.kai.scheduler");
  EXPECT_EQ(kube::Label(filled, "app.kubernetes.io/managed-by"), "Helm");
  EXPECT_FALSE(cluster.Exists(api::kMutatingWebhooks, "mutating-kai-admission", ""));
}

// Rules by namespace need to see pods of other schedulers, whom they must not hold up.
TEST(OwnWebhooksTest, PlacedPodsAreSeenByAWebhookOfTheirOwnWhileThereAreRules) {
  TestCluster cluster;
  OwnWebhooks webhooks = Everything();
  webhooks.placed = "request.namespace == 'research'";
  const base::Time now = cluster.stepper.Now();
  ASSERT_TRUE(EnsureOwnCertificate(cluster.client(), webhooks, now));
  ASSERT_TRUE(RegisterWebhooks(cluster.client(), webhooks, now));
  const json::Value made = cluster.Get(api::kMutatingWebhooks, "mutating-kai-admission", "");
  ASSERT_EQ(made["webhooks"].size(), 2u);
  const json::Value& placement = made["webhooks"].At(0);
  EXPECT_EQ(placement["failurePolicy"].AsString(), "Ignore");
  EXPECT_EQ(placement["matchConditions"].At(0)["expression"].AsString(), webhooks.placed);
  EXPECT_EQ(placement["namespaceSelector"]["matchExpressions"].At(0)["values"].At(0).AsString(),
            "kube-system");
  EXPECT_EQ(made["webhooks"].At(1)["failurePolicy"].AsString(), "Fail");
  webhooks.placed.clear();
  ASSERT_TRUE(RegisterWebhooks(cluster.client(), webhooks, now));
  EXPECT_EQ(cluster.Get(api::kMutatingWebhooks, "mutating-kai-admission", "")["webhooks"].size(),
            1u);
}

TEST(OwnWebhooksTest, ABrokenSecretIsNamed) {
  TestCluster cluster;
  cluster.Create(api::kSecrets,
                 "{apiVersion: v1, kind: Secret, metadata: {name: coppice-all-tls, namespace: "
                 "default}}");
  const auto pair = EnsureOwnCertificate(cluster.client(), Everything(), cluster.stepper.Now());
  ASSERT_FALSE(pair);
  EXPECT_THAT(pair.error().message(), HasSubstr("Secret default/coppice-all-tls has no usable"));
}

}  // namespace
}  // namespace coppice::services::platform
