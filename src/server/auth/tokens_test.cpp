#include "server/auth/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using base::ErrorCode;

const api::Resource kTokenReview{"authentication.k8s.io", "v1", "tokenreviews", "TokenReview",
                                 false};

class TokensTest : public testing::Test {
 protected:
  base::Result<json::Value> Request(std::string_view spec, const char* account = "default") {
    json::Value request = Doc("{apiVersion: authentication.k8s.io/v1, kind: TokenRequest}");
    request.Mutable("metadata").Set("name", account).Set("namespace", "default");
    request.Set("spec", Doc(spec));
    return server_->Create(api::kServiceAccounts, request, {.subresource = "token"});
  }
  std::string Token(std::string_view spec) {
    const auto answer = Request(spec);
    EXPECT_TRUE(answer) << answer.error().message();
    return answer ? (*answer)["status"]["token"].ToString() : "";
  }
  std::string Refusal(std::string_view spec, ErrorCode code, const char* account = "default") {
    const auto answer = Request(spec, account);
    EXPECT_TRUE(answer.Is(code)) << (answer ? "accepted" : answer.error().message());
    return answer ? "" : answer.error().message();
  }
  json::Value Review(const std::string& token) {
    json::Value review = Doc("{apiVersion: authentication.k8s.io/v1, kind: TokenReview}");
    review.Mutable("spec").Set("token", token);
    return (*server_->Create(kTokenReview, review))["status"];
  }
  bool Works(const std::string& token) { return Review(token)["authenticated"].AsBool(); }
  json::Value MakePod(std::string_view name, std::string_view node = "") {
    json::Value pod = PodDoc(name);
    if (!node.empty()) pod.Mutable("spec").Set("nodeName", node);
    return *server_->Create(api::kPods, pod);
  }
  json::Value MakeNode(std::string_view name) {
    return *server_->Create(api::kNodes, kube::NewObject(api::kNodes, "", name));
  }
  // Keeps the object in the API after it is deleted.
  void Hold(const api::Resource& resource, const api::ObjectKey& key) {
    ASSERT_TRUE(server_->Patch(resource, key, kube::PatchType::kMerge,
                               Doc("{metadata: {finalizers: [example.com/hold]}}"), {}));
  }

  TestServer server_;
};

TEST_F(TokensTest, EndWithTheNodeTheyAreBoundTo) {
  const json::Value node = MakeNode("n1");
  const std::string token = Token("{boundObjectRef: {kind: Node, apiVersion: v1, name: n1}}");
  const json::Value extra = Review(token)["user"]["extra"];
  EXPECT_EQ(extra["authentication.kubernetes.io/node-name"].At(0).AsString(), "n1");
  EXPECT_EQ(extra["authentication.kubernetes.io/node-uid"].At(0).AsString(), kube::Uid(node));
  ASSERT_TRUE(server_->Delete(api::kNodes, {"", "n1"}));
  EXPECT_FALSE(Works(token));
  MakeNode("n1");
  EXPECT_FALSE(Works(token)) << "a later node of the same name is another one";
}

TEST_F(TokensTest, OfPodsTellTheNodeAndOutliveIt) {
  const json::Value node = MakeNode("n1");
  const json::Value pod = MakePod("p", "n1");
  const std::string token = Token("{boundObjectRef: {kind: Pod, apiVersion: v1, name: p}}");
  const json::Value extra = Review(token)["user"]["extra"];
  const auto told = [&extra](const std::string& key) {
    return extra["authentication.kubernetes.io/" + key].At(0).ToString();
  };
  EXPECT_EQ(told("pod-name"), "p");
  EXPECT_EQ(told("pod-uid"), kube::Uid(pod));
  EXPECT_EQ(told("node-name"), "n1");
  EXPECT_EQ(told("node-uid"), kube::Uid(node));
  EXPECT_THAT(told("credential-id"), testing::StartsWith("JTI="));
  ASSERT_TRUE(server_->Delete(api::kNodes, {"", "n1"}));
  EXPECT_TRUE(Works(token)) << "it is bound to the pod alone";
}

TEST_F(TokensTest, OfPodsOnUnknownNodesTellTheirNameAlone) {
  MakePod("p", "nowhere");
  const json::Value extra =
      Review(Token("{boundObjectRef: {kind: Pod, name: p}}"))["user"]["extra"];
  EXPECT_EQ(extra["authentication.kubernetes.io/node-name"].At(0).AsString(), "nowhere");
  EXPECT_FALSE(extra.Has("authentication.kubernetes.io/node-uid"));
  MakePod("unscheduled");
  EXPECT_FALSE(
      Review(Token("{boundObjectRef: {kind: Pod, name: unscheduled}}"))["user"]["extra"].Has(
          "authentication.kubernetes.io/node-name"));
}

TEST_F(TokensTest, EndAMinuteAfterWhatTheyAreBoundToShouldHaveGone) {
  server_.MustCreate(api::kSecrets, "{metadata: {name: s, namespace: default}}");
  MakeNode("n1");
  const std::string of_secret = Token("{boundObjectRef: {kind: Secret, name: s}}");
  const std::string of_node = Token("{boundObjectRef: {kind: Node, name: n1}}");
  Hold(api::kSecrets, {"default", "s"});
  Hold(api::kNodes, {"", "n1"});
  ASSERT_TRUE(server_->Delete(api::kSecrets, {"default", "s"}));
  ASSERT_TRUE(server_->Delete(api::kNodes, {"", "n1"}));
  EXPECT_TRUE(Works(of_secret) && Works(of_node));
  server_.stepper.RunFor(std::chrono::seconds(62));
  EXPECT_FALSE(Works(of_secret));
  EXPECT_FALSE(Works(of_node));
}

TEST_F(TokensTest, EndAMinuteAfterTheirAccountShouldHaveGone) {
  const std::string token = Token("{}");
  Hold(api::kServiceAccounts, {"default", "default"});
  ASSERT_TRUE(server_->Delete(api::kServiceAccounts, {"default", "default"}));
  server_.stepper.RunFor(std::chrono::seconds(62));
  EXPECT_FALSE(Works(token));
}

TEST_F(TokensTest, EndWithTheirPodEvenIfAnotherTakesItsName) {
  MakePod("p");
  const std::string token = Token("{boundObjectRef: {kind: Pod, name: p}}");
  ASSERT_TRUE(server_->Delete(api::kPods, {"default", "p"}, {.grace_period_seconds = 0}));
  EXPECT_FALSE(Works(token));
  MakePod("p");
  EXPECT_FALSE(Works(token));
}

TEST_F(TokensTest, AreNotBoundToPodsOfOthers) {
  server_.MustCreate(api::kServiceAccounts, "{metadata: {name: other, namespace: default}}");
  MakePod("p");
  EXPECT_EQ(Refusal("{boundObjectRef: {kind: Pod, name: p}}", ErrorCode::kInvalidArgument, "other"),
            "cannot bind token for serviceaccount \"other\" to pod running with different "
            "serviceaccount name.");
}

TEST_F(TokensTest, AreBoundToTheObjectThatIsMeant) {
  MakePod("p");
  EXPECT_EQ(Refusal("{boundObjectRef: {kind: Pod, name: p, uid: gone}}", ErrorCode::kConflict),
            "Operation cannot be fulfilled on Pod \"p\": the UID in the bound object reference "
            "(gone) does not match the UID in record. The object might have been deleted and then "
            "recreated");
  EXPECT_EQ(Refusal("{boundObjectRef: {kind: Secret, name: s}}", ErrorCode::kNotFound),
            "secrets \"s\" not found");
  EXPECT_EQ(Refusal("{boundObjectRef: {kind: Deployment, apiVersion: apps/v1, name: d}}",
                    ErrorCode::kInvalidArgument),
            "cannot bind token to object of type apps/v1, Kind=Deployment");
  EXPECT_EQ(Refusal("{boundObjectRef: {kind: Pod, apiVersion: apps/v1, name: p}}",
                    ErrorCode::kInvalidArgument),
            "cannot bind token to object of type apps/v1, Kind=Pod");
}

TEST_F(TokensTest, LiveAsLongAsIsReasonable) {
  EXPECT_THAT(Refusal("{expirationSeconds: 599}", ErrorCode::kInvalid),
              testing::HasSubstr("may not specify a duration less than 10 minutes"));
  EXPECT_THAT(Refusal("{expirationSeconds: 4294967297}", ErrorCode::kInvalid),
              testing::HasSubstr("may not specify a duration larger than 2^32 seconds"));
  EXPECT_TRUE(Request("{expirationSeconds: 4294967296}"));
}

// Whether or not the body says what it is.
TEST_F(TokensTest, NumbersBeyond64BitsAreNotRead) {
  for (const char* text : {R"({"spec": {"expirationSeconds": 9223372036854775808}})",
                           R"({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": 9223372036854775808}})"}) {
    json::Value body = *json::Parse(text);
    body.Mutable("metadata").Set("name", "default").Set("namespace", "default");
    const auto answer = server_->Create(api::kServiceAccounts, body, {.subresource = "token"});
    ASSERT_TRUE(answer.Is(ErrorCode::kInvalidArgument));
    EXPECT_EQ(answer.error().message(),
              "TokenRequest in version \"v1\" cannot be handled as a TokenRequest: json: cannot "
              "unmarshal number 9223372036854775808 into Go struct field "
              "TokenRequestSpec.spec.expirationSeconds of type int64");
  }
}

TEST_F(TokensTest, AreForTheAccountThatIsMeant) {
  json::Value request = Doc("{metadata: {name: default, namespace: default, uid: gone}}");
  const auto answer = server_->Create(api::kServiceAccounts, request, {.subresource = "token"});
  ASSERT_TRUE(answer.Is(ErrorCode::kConflict));
  EXPECT_THAT(answer.error().message(),
              testing::HasSubstr("the UID in the token request (gone) does not match the UID of "
                                 "the service account"));
}

}  // namespace
}  // namespace coppice::server
