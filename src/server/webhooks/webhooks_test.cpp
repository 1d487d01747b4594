#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "api/well_known.h"
#include "http/server.h"
#include "http/tls.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "server/base64.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

// A webhook on loopback: labels what it may change, refuses what carries the label "bad".
class Webhook : public http::Handler {
 public:
  Webhook() {
    const base::Time now = base::RealClock().Now();
    const http::KeyPair ca = *http::MakeCertificateAuthority("test", now, std::chrono::hours(1));
    const http::KeyPair own = *http::IssueCertificate(
        ca, {.common_name = "hook", .hosts = {"127.0.0.1"}, .server = true, .not_before = now});
    ca_ = ca.certificate_pem;
    http::ServerOptions options;
    options.tls = http::ServerTls{own.certificate_pem, own.key_pem, ""};
    server_ = *http::Server::Start(options, *this);
  }

  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override {
    ++calls;
    const json::Value review = *json::Parse(request.body);
    const json::Value& asked = review["request"];
    json::Value response = json::Value::Object({{"uid", asked["uid"]}, {"allowed", true}});
    if (!kube::Label(asked["object"], "bad").empty()) {
      response.Set("allowed", false);
      response.Set("status", Doc("{message: bad things are not welcome}"));
    } else if (request.path == "/mutate") {
      response.Set("patchType", "JSONPatch");
      response.Set(
          "patch",
          EncodeBase64(R"([{"op":"add","path":"/metadata/labels","value":{"seen":"1"}}])"));
    }
    const json::Value answer = json::Value::Object({{"apiVersion", "admission.k8s.io/v1"},
                                                    {"kind", "AdmissionReview"},
                                                    {"response", response}});
    writer->Send(http::Response::Make(200, "application/json", json::Write(answer)));
  }

  json::Value Configuration(const char* kind, const std::string& path, const char* policy) {
    json::Value webhook = Doc(R"yaml(
name: hook.example.com
admissionReviewVersions: [v1]
sideEffects: None
rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]
matchConditions: [{name: not-system, expression: "!object.metadata.name.startsWith('kube-')"}]
)yaml");
    webhook.Set("failurePolicy", policy);
    webhook.Mutable("clientConfig").Set("url", server_->Url() + path);
    webhook.Mutable("clientConfig").Set("caBundle", EncodeBase64(ca_));
    json::Value configuration =
        json::Value::Object({{"apiVersion", "admissionregistration.k8s.io/v1"}, {"kind", kind}});
    configuration.Mutable("metadata").Set("name", "hook");
    return configuration.Set("webhooks", json::Value::Array({webhook}));
  }

  std::atomic<int> calls{0};
  std::unique_ptr<http::Server> server_;

 private:
  std::string ca_;
};

const api::Resource kMutating{"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
                              "MutatingWebhookConfiguration", false};
const api::Resource kValidating{"admissionregistration.k8s.io", "v1",
                                "validatingwebhookconfigurations", "ValidatingWebhookConfiguration",
                                false};

json::Value Map(std::string_view name, std::string_view labels = "") {
  json::Value map = kube::NewObject(api::kConfigMaps, "default", name);
  if (!labels.empty()) map.Mutable("metadata").Set("labels", Doc(labels));
  return map;
}

TEST(Webhooks, ChangeAndRefuseObjects) {
  TestServer server;
  Webhook hook;
  ASSERT_TRUE(server->Create(
      kMutating, hook.Configuration("MutatingWebhookConfiguration", "/mutate", "Fail")));
  EXPECT_EQ(kube::Label(*server->Create(api::kConfigMaps, Map("a")), "seen"), "1");
  const auto refused = server->Create(api::kConfigMaps, Map("b", "{bad: 'yes'}"));
  ASSERT_TRUE(refused.Is(ErrorCode::kForbidden));
  EXPECT_EQ(
      refused.error().message(),
      "admission webhook \"hook.example.com\" denied the request: bad things are not welcome");
}

TEST(Webhooks, AreAskedOnlyAboutWhatTheyMatch) {
  TestServer server;
  Webhook hook;
  ASSERT_TRUE(server->Create(
      kValidating, hook.Configuration("ValidatingWebhookConfiguration", "/check", "Fail")));
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a")));
  ASSERT_TRUE(server->Create(api::kConfigMaps, Map("kube-a")));
  EXPECT_EQ(hook.calls, 0);
  ASSERT_TRUE(server->Create(api::kConfigMaps, Map("a")));
  EXPECT_EQ(hook.calls, 1);
}

TEST(Webhooks, FailurePolicyDecidesWhenNobodyAnswers) {
  TestServer server;
  Webhook hook;
  json::Value configuration =
      hook.Configuration("ValidatingWebhookConfiguration", "/check", "Fail");
  hook.server_->Stop(std::chrono::milliseconds(0));
  configuration = *server->Create(kValidating, configuration);
  const auto refused = server->Create(api::kConfigMaps, Map("a"));
  ASSERT_TRUE(refused.Is(ErrorCode::kInternal));
  EXPECT_THAT(refused.error().message(), HasSubstr("failed calling webhook \"hook.example.com\""));
  configuration.Mutable("webhooks").MutableAt(0).Set("failurePolicy", "Ignore");
  ASSERT_TRUE(server->Update(kValidating, configuration));
  EXPECT_TRUE(server->Create(api::kConfigMaps, Map("a")));
}

class Labeller : public AdmissionPlugin {
 public:
  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override {
    return request.resource == api::kConfigMaps && request.operation == Operation::kCreate;
  }
  base::Status Mutate(const AdmissionRequest&, json::Value& object) override {
    object.Mutable("metadata").Mutable("labels").Set("by", "plugin");
    return {};
  }
  base::Status Validate(const AdmissionRequest& request) override {
    if (kube::Label(request.object, "by") == "plugin") return {};
    return base::Error(ErrorCode::kForbidden, "the label is missing");
  }

 private:
  const std::string name_ = "labeller";
};

TEST(Webhooks, PluginsOfTheProcessWorkTheSame) {
  TestServer server;
  server.server->AddAdmission(std::make_shared<Labeller>());
  EXPECT_EQ(kube::Label(*server->Create(api::kConfigMaps, Map("a")), "by"), "plugin");
}

}  // namespace
}  // namespace coppice::server
