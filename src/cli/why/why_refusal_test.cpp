#include "cli/why/why_refusal.h"

#include <gtest/gtest.h>

#include "json/yaml/yaml.h"

namespace coppice::cli {
namespace {

engine::Explanation Explained(std::string_view message, int64_t missing = 1) {
  const auto job = json::ParseYaml("{kind: Job, metadata: {name: j, namespace: team}}");
  return ExplainRefusal(*job, message, missing);
}

TEST(WhyRefusal, AQuotaIsRaisedForAllPodsThatAreMissing) {
  const auto said = Explained(
      "pods \"j-1\" is forbidden: exceeded quota: q, requested: cpu=2,requests.nvidia.com/gpu=4, "
      "used: cpu=2,requests.nvidia.com/gpu=4, limited: cpu=100,requests.nvidia.com/gpu=6",
      3);
  EXPECT_EQ(said.reason, "ResourceQuota");
  EXPECT_EQ(said.verdict, engine::Verdict::kNeedsAction);
  ASSERT_EQ(said.changes.size(), 1u);
  EXPECT_EQ(said.changes[0].text,
            "raise requests.nvidia.com/gpu of ResourceQuota `q` from 6 to 16");
}

TEST(WhyRefusal, AWebhookIsNamedWhetherItDeniesOrDoesNotAnswer) {
  const auto denied =
      Explained("admission webhook \"policy.example.com\" denied the request: no root containers");
  EXPECT_EQ(denied.reason, "RefusedByWebhook");
  ASSERT_EQ(denied.changes.size(), 1u);
  EXPECT_EQ(denied.changes[0].text,
            "change the pods as webhook `policy.example.com` demands: no root containers");
  const auto absent = Explained(
      "Internal error occurred: failed calling webhook \"policy.example.com\": failed to call "
      "webhook: Post \"https://…\": connection refused");
  EXPECT_EQ(absent.reason, "WebhookUnavailable");
}

TEST(WhyRefusal, WhatDoesNotExistIsToBeCreated) {
  EXPECT_EQ(Explained("pods \"j-1\" is forbidden: no PriorityClass with name high was found")
                .changes.at(0)
                .text,
            "create PriorityClass `high`");
  EXPECT_EQ(Explained("pods \"j-1\" is forbidden: error looking up service account team/robot: "
                      "serviceaccount \"robot\" not found")
                .changes.at(0)
                .text,
            "create ServiceAccount `robot`");
}

TEST(WhyRefusal, ANamespaceThatGoesTakesNoPods) {
  const auto said = Explained(
      "pods \"j-1\" is forbidden: unable to create new content in namespace team because it is "
      "being terminated");
  EXPECT_EQ(said.reason, "NamespaceTerminating");
  EXPECT_EQ(said.changes.at(0).text, "create it in another namespace");
}

}  // namespace
}  // namespace coppice::cli
