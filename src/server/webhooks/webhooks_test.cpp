#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "api/well_known.h"
#include "base/base64.h"
#include "http/crypto/tls.h"
#include "http/server/server.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "server/core/core.h"
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
    if (!answers) {
      waiting_ = std::move(writer);
      return;
    }
    const json::Value review = *json::Parse(request.body);
    const json::Value& asked = review["request"];
    last = asked;
    json::Value response = json::Value::Object({{"uid", asked["uid"]}, {"allowed", true}});
    if (!kube::Label(asked["object"], "odd").empty()) {
      response.Set("warnings", Doc("['this is \"odd\"']"));
    }
    if (!kube::Label(asked["object"], "bad").empty()) {
      response.Set("allowed", false);
      response.Set("status", Doc("{message: bad things are not welcome}"));
    } else if (request.path == "/mutate") {
      response.Set("patchType", "JSONPatch");
      response.Set(
          "patch",
          base::Base64Encode(R"([{"op":"add","path":"/metadata/labels","value":{"seen":"1"}}])"));
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
    webhook.Mutable("clientConfig").Set("caBundle", base::Base64Encode(ca_));
    json::Value configuration =
        json::Value::Object({{"apiVersion", "admissionregistration.k8s.io/v1"}, {"kind", kind}});
    configuration.Mutable("metadata").Set("name", "hook");
    return configuration.Set("webhooks", json::Value::Array({webhook}));
  }

  void Stop() { server_->Stop(std::chrono::milliseconds(0)); }

  std::atomic<int> calls{0};
  std::atomic<bool> answers{true};
  json::Value last;  // What was asked; read when the answer is back.

 private:
  std::string ca_;
  std::shared_ptr<http::ResponseWriter> waiting_;
  // Last, so that no worker is left when the writer that it may have parked goes.
  std::unique_ptr<http::Server> server_;
};

json::Value LabelledMap(std::string_view name, std::string_view labels = "") {
  json::Value map = kube::NewObject(api::kConfigMaps, "default", name);
  if (!labels.empty()) map.Mutable("metadata").Set("labels", Doc(labels));
  return map;
}

TEST(Webhooks, ChangeAndRefuseObjects) {
  TestServer server;
  Webhook hook;
  ASSERT_TRUE(
      server->Create(api::kMutatingWebhooks,
                     hook.Configuration("MutatingWebhookConfiguration", "/mutate", "Fail")));
  EXPECT_EQ(kube::Label(*server->Create(api::kConfigMaps, LabelledMap("a")), "seen"), "1");
  const auto refused = server->Create(api::kConfigMaps, LabelledMap("b", "{bad: 'yes'}"));
  ASSERT_TRUE(refused.Is(ErrorCode::kInvalidArgument)) << "it names no code";
  EXPECT_EQ(
      refused.error().message(),
      "admission webhook \"hook.example.com\" denied the request: bad things are not welcome");
}

TEST(Webhooks, AreAskedOnlyAboutWhatTheyMatch) {
  TestServer server;
  Webhook hook;
  ASSERT_TRUE(
      server->Create(api::kValidatingWebhooks,
                     hook.Configuration("ValidatingWebhookConfiguration", "/check", "Fail")));
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a")));
  ASSERT_TRUE(server->Create(api::kConfigMaps, LabelledMap("kube-a")));
  EXPECT_EQ(hook.calls, 0);
  ASSERT_TRUE(server->Create(api::kConfigMaps, LabelledMap("a")));
  EXPECT_EQ(hook.calls, 1);
}

TEST(Webhooks, FailurePolicyDecidesWhenNobodyAnswers) {
  TestServer server;
  Webhook hook;
  json::Value configuration =
      hook.Configuration("ValidatingWebhookConfiguration", "/check", "Fail");
  hook.Stop();
  configuration = *server->Create(api::kValidatingWebhooks, configuration);
  const auto refused = server->Create(api::kConfigMaps, LabelledMap("a"));
  ASSERT_TRUE(refused.Is(ErrorCode::kInternal));
  EXPECT_THAT(refused.error().message(), HasSubstr("failed calling webhook \"hook.example.com\""));
  configuration.Mutable("webhooks").MutableAt(0).Set("failurePolicy", "Ignore");
  ASSERT_TRUE(server->Update(api::kValidatingWebhooks, configuration));
  EXPECT_TRUE(server->Create(api::kConfigMaps, LabelledMap("a")));
}

TEST(Webhooks, WarningsReachTheClient) {
  TestServer server;
  Webhook hook;
  ASSERT_TRUE(
      server->Create(api::kValidatingWebhooks,
                     hook.Configuration("ValidatingWebhookConfiguration", "/check", "Fail")));
  Core& core = server.server->core();
  Remarks remarks;
  const Request request{.served = core.registry()->Find(api::kConfigMaps),
                        .ns = "default",
                        .user = User::Admin(),
                        .remarks = &remarks};
  ASSERT_TRUE(core.Create(request, LabelledMap("a", "{odd: 'yes'}")));
  EXPECT_THAT(remarks.warnings(), testing::ElementsAre("this is \"odd\""));
}

TEST(Webhooks, AWebhookThatTakesTooLongHasFailed) {
  TestServer server;
  Webhook hook;
  hook.answers = false;
  json::Value configuration =
      hook.Configuration("ValidatingWebhookConfiguration", "/check", "Fail");
  configuration.Mutable("webhooks").MutableAt(0).Set("timeoutSeconds", 1);
  ASSERT_TRUE(server->Create(api::kValidatingWebhooks, configuration));
  const auto refused = server->Create(api::kConfigMaps, LabelledMap("a"));
  ASSERT_TRUE(refused.Is(ErrorCode::kInternal));
  EXPECT_THAT(refused.error().message(), HasSubstr("failed calling webhook \"hook.example.com\""));
  EXPECT_FALSE(server->Get(api::kConfigMaps, {"default", "a"}));
}

TEST(Webhooks, SelectorsNarrowThem) {
  TestServer server;
  Webhook hook;
  json::Value configuration =
      hook.Configuration("ValidatingWebhookConfiguration", "/check", "Fail");
  json::Value& webhook = configuration.Mutable("webhooks").MutableAt(0);
  webhook.Set("namespaceSelector", Doc("{matchLabels: {watched: 'yes'}}"));
  webhook.Set("objectSelector", Doc("{matchExpressions: [{key: skip, operator: DoesNotExist}]}"));
  ASSERT_TRUE(server->Create(api::kValidatingWebhooks, configuration));
  ASSERT_TRUE(server->Create(api::kConfigMaps, LabelledMap("a")));
  EXPECT_EQ(hook.calls, 0) << "the namespace has no such label";
  ASSERT_TRUE(server->Patch(api::kNamespaces, {"", "default"}, kube::PatchType::kMerge,
                            Doc("{metadata: {labels: {watched: 'yes'}}}"), {}));
  ASSERT_TRUE(server->Create(api::kConfigMaps, LabelledMap("b", "{skip: 'yes'}")));
  EXPECT_EQ(hook.calls, 0) << "the object is left out";
  ASSERT_TRUE(server->Create(api::kConfigMaps, LabelledMap("c")));
  EXPECT_EQ(hook.calls, 1);
}

TEST(Webhooks, AreAskedAgainAboutWhatChangedAfterThem) {
  TestServer server;
  Webhook hook;
  json::Value configuration = hook.Configuration("MutatingWebhookConfiguration", "/look", "Fail");
  const json::Value second =
      hook.Configuration("MutatingWebhookConfiguration", "/mutate", "Fail")["webhooks"].At(0);
  configuration.Mutable("webhooks").MutableAt(0).Set("reinvocationPolicy", "IfNeeded");
  configuration.Mutable("webhooks").Append(second);
  configuration.Mutable("webhooks").MutableAt(1).Set("name", "second.example.com");
  ASSERT_TRUE(server->Create(api::kMutatingWebhooks, configuration));
  ASSERT_TRUE(server->Create(api::kConfigMaps, LabelledMap("a")));
  EXPECT_EQ(hook.calls, 3);
}

constexpr std::string_view kTwoVersions = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions:
  - {name: v1, served: true, storage: true,
     schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v1beta1, served: true, storage: false,
     schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
)";

TEST(Webhooks, SeeTheVersionThatTheirRulesName) {
  TestServer server;
  server.MustCreate(api::kCustomResourceDefinitions, kTwoVersions);
  const api::Resource v1{"example.com", "v1", "gadgets", "Gadget", true};
  const api::Resource v1beta1{"example.com", "v1beta1", "gadgets", "Gadget", true};
  Webhook hook;
  json::Value configuration = hook.Configuration("MutatingWebhookConfiguration", "/mutate", "Fail");
  configuration.Mutable("webhooks").MutableAt(0).Set("rules", Doc(R"yaml(
[{operations: [CREATE], apiGroups: [example.com], apiVersions: [v1beta1], resources: [gadgets]}]
)yaml"));
  configuration = *server->Create(api::kMutatingWebhooks, configuration);
  const auto made = server->Create(v1, kube::NewObject(v1, "default", "a"));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(hook.last["kind"]["version"].AsString(), "v1beta1");
  EXPECT_EQ(hook.last["requestKind"]["version"].AsString(), "v1");
  EXPECT_EQ(hook.last["object"]["apiVersion"].AsString(), "example.com/v1beta1");
  EXPECT_EQ((*made)["apiVersion"].AsString(), "example.com/v1");
  EXPECT_EQ(kube::Label(*made, "seen"), "1");
  configuration.Mutable("webhooks").MutableAt(0).Set("matchPolicy", "Exact");
  ASSERT_TRUE(server->Update(api::kMutatingWebhooks, configuration));
  ASSERT_TRUE(server->Create(v1, kube::NewObject(v1, "default", "b")));
  EXPECT_EQ(hook.calls, 1);
  ASSERT_TRUE(server->Create(v1beta1, kube::NewObject(v1beta1, "default", "c")));
  EXPECT_EQ(hook.calls, 2);
}

TEST(Webhooks, AFalseConditionWinsOverOneThatFails) {
  TestServer server;
  Webhook hook;
  json::Value configuration =
      hook.Configuration("ValidatingWebhookConfiguration", "/check", "Fail");
  configuration.Mutable("webhooks").MutableAt(0).Set("matchConditions", Doc(R"yaml(
- {name: fails, expression: "object.data.missing == 'x'"}
- {name: wrong, expression: "authorizer.requestResource.check('create').allowed() && false"}
)yaml"));
  configuration = *server->Create(api::kValidatingWebhooks, configuration);
  EXPECT_TRUE(server->Create(api::kConfigMaps, LabelledMap("a")));
  EXPECT_EQ(hook.calls, 0);
  configuration.Mutable("webhooks")
      .MutableAt(0)
      .Mutable("matchConditions")
      .MutableAt(1)
      .Set("expression", "true");
  ASSERT_TRUE(server->Update(api::kValidatingWebhooks, configuration));
  EXPECT_TRUE(server->Create(api::kConfigMaps, LabelledMap("b")).Is(ErrorCode::kForbidden));
}

TEST(Webhooks, ConditionsMustCompile) {
  TestServer server;
  Webhook hook;
  json::Value configuration =
      hook.Configuration("ValidatingWebhookConfiguration", "/check", "Fail");
  configuration.Mutable("webhooks")
      .MutableAt(0)
      .Set("matchConditions", Doc("[{name: a, expression: 'object ==='}]"));
  const auto refused = server->Create(api::kValidatingWebhooks, configuration);
  ASSERT_TRUE(refused.Is(ErrorCode::kInvalid));
  EXPECT_EQ(refused.error().causes()[0].field, "webhooks[0].matchConditions[0].expression");
}

// What is bound or evicted passes admission too, as a creation below the pod.
class PodWatcher : public AdmissionPlugin {
 public:
  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override {
    return request.resource == api::kPods && !request.subresource.empty();
  }
  base::Status Validate(const AdmissionRequest& request) override {
    seen.push_back(request.subresource + " " + request.key.name);
    return base::Error(ErrorCode::kForbidden, "not " + request.subresource);
  }
  std::vector<std::string> seen;

 private:
  const std::string name_ = "watcher";
};

TEST(Webhooks, SubresourcesPassAdmission) {
  TestServer server;
  const auto watcher = std::make_shared<PodWatcher>();
  server.server->AddAdmission(watcher);
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a")));
  const json::Value binding =
      PodDoc("a").Set("kind", "Binding").Set("target", Doc("{kind: Node, name: node-1}"));
  EXPECT_TRUE(
      server->Create(api::kPods, binding, {.subresource = "binding"}).Is(ErrorCode::kForbidden));
  const json::Value eviction = PodDoc("a").Set("kind", "Eviction").Set("apiVersion", "policy/v1");
  EXPECT_TRUE(
      server->Create(api::kPods, eviction, {.subresource = "eviction"}).Is(ErrorCode::kForbidden));
  EXPECT_THAT(watcher->seen, testing::ElementsAre("binding a", "eviction a"));
  EXPECT_EQ((*server->Get(api::kPods, {"default", "a"}))["spec"]["nodeName"].AsString(), "");
}

class ScaleWatcher : public AdmissionPlugin {
 public:
  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override {
    return request.resource == api::kDeployments && request.operation == Operation::kUpdate;
  }
  base::Status Validate(const AdmissionRequest& request) override {
    seen.push_back(request.subresource + " " + request.object["kind"].ToString() + " " +
                   std::to_string(request.old_object["spec"]["replicas"].AsInt()) + "->" +
                   std::to_string(request.object["spec"]["replicas"].AsInt()));
    return {};
  }
  std::vector<std::string> seen;

 private:
  const std::string name_ = "watcher";
};

// Rules for deployments say nothing about scaling them; those for deployments/scale see a Scale.
TEST(Webhooks, ScalingPassesAdmissionAsAScale) {
  TestServer server;
  const auto watcher = std::make_shared<ScaleWatcher>();
  ASSERT_TRUE(server->Create(
      api::kDeployments,
      Doc("{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: default}, spec: "
          "{replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, "
          "spec: {containers: [{name: c, image: i}]}}}}")));
  server.server->AddAdmission(watcher);
  ASSERT_TRUE(server->Patch(api::kDeployments, {"default", "d"}, kube::PatchType::kMerge,
                            Doc("{spec: {replicas: 3}}"), {.subresource = "scale"}));
  EXPECT_THAT(watcher->seen, testing::ElementsAre("scale Scale 1->3"));
  EXPECT_EQ((*server->Get(api::kDeployments, {"default", "d"}))["spec"]["replicas"].AsInt(), 3);
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
  EXPECT_EQ(kube::Label(*server->Create(api::kConfigMaps, LabelledMap("a")), "by"), "plugin");
}

}  // namespace
}  // namespace coppice::server
