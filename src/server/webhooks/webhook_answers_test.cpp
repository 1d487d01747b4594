#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "base/base64.h"
#include "http/crypto/tls.h"
#include "http/server/server.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "server/core/core.h"
#include "server/server_testing.h"
#include "server/tests/outside_address_testing.h"
#include "server/webhooks/service_address.h"
#include "server/webhooks/webhook_client.h"

// What webhooks may answer, and where they are found.
namespace coppice::server {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

const std::string kCalling =
    "Internal error occurred: failed calling webhook \"hook.example.com\": ";

// A webhook on this machine whose answers a test writes.
class Answering : public http::Handler {
 public:
  explicit Answering(const std::string& host = "127.0.0.1") {
    const base::Time now = base::RealClock().Now();
    const http::KeyPair ca = *http::MakeCertificateAuthority("test", now, std::chrono::hours(1));
    const http::KeyPair own =
        *http::IssueCertificate(ca, {.common_name = "hook",
                                     .hosts = {"127.0.0.1", "hook.default.svc"},
                                     .server = true,
                                     .not_before = now});
    ca_ = ca.certificate_pem;
    http::ServerOptions options;
    options.address = host;
    options.tls = http::ServerTls{own.certificate_pem, own.key_pem, ""};
    server_ = *http::Server::Start(options, *this);
  }

  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override {
    ++calls;
    json::Value review = Doc("{apiVersion: admission.k8s.io/v1, kind: AdmissionReview}");
    review.Set("response", answer);
    if (!answer.Has("uid")) {
      review.Mutable("response").Set("uid", (*json::Parse(request.body))["request"]["uid"]);
    }
    for (const json::Member& member : envelope.Members()) review.Set(member.name(), member.value);
    writer->Send(http::Response::Make(status, type, body.empty() ? json::Write(review) : body));
  }

  // Answers with this JSON patch.
  void Patch(std::string_view patch) {
    answer = Doc("{allowed: true, patchType: JSONPatch}");
    answer.Set("patch", base::Base64Encode(patch));
  }

  json::Value Configuration(const api::Resource& resource, const char* rules) {
    json::Value webhook =
        Doc("{name: hook.example.com, admissionReviewVersions: [v1], sideEffects: None, "
            "failurePolicy: Fail, timeoutSeconds: 5}");
    webhook.Set("rules", Doc(rules));
    webhook.Mutable("clientConfig").Set("url", server_->Url() + "/hook");
    webhook.Mutable("clientConfig").Set("caBundle", base::Base64Encode(ca_));
    json::Value configuration = kube::NewObject(resource, "", "hook");
    return configuration.Set("webhooks", json::Value::Array({webhook}));
  }
  uint16_t port() const { return server_->port(); }

  std::atomic<int> calls{0};
  json::Value answer = Doc("{allowed: true}");
  json::Value envelope;
  std::string body;
  int status = 200;
  std::string type = "application/json";

 private:
  std::string ca_;
  std::unique_ptr<http::Server> server_;
};

constexpr char kConfigMapRules[] =
    "[{operations: [CREATE, UPDATE, DELETE], apiGroups: [''], apiVersions: [v1], "
    "resources: [configmaps]}]";

class WebhookAnswers : public testing::Test {
 protected:
  void Register(const api::Resource& resource = api::kMutatingWebhooks,
                const char* rules = kConfigMapRules) {
    const auto made = server_->Create(resource, hook_.Configuration(resource, rules));
    ASSERT_TRUE(made) << made.error().message();
  }
  base::Result<json::Value> Make(std::string_view name = "a") {
    return server_->Create(api::kConfigMaps, kube::NewObject(api::kConfigMaps, "default", name));
  }
  base::Result<json::Value> Change() {
    return server_->Patch(api::kConfigMaps, {"default", "a"}, kube::PatchType::kMerge,
                          Doc("{data: {changed: 'yes'}}"), {});
  }
  std::string WhyNot(const base::Result<json::Value>& result) {
    return result ? "accepted" : result.error().message();
  }

  TestServer server_;
  Answering hook_;
};

TEST_F(WebhookAnswers, NeverGiveANewObjectAnotherIdentity) {
  Register();
  hook_.Patch(R"([{"op":"add","path":"/metadata/uid","value":"mine"},
                  {"op":"add","path":"/metadata/creationTimestamp","value":"2001-01-01T00:00:00Z"},
                  {"op":"add","path":"/metadata/deletionTimestamp","value":"2001-01-01T00:00:00Z"},
                  {"op":"add","path":"/metadata/selfLink","value":"/here"}])");
  const auto made = Make();
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_NE(kube::Uid(*made), "mine");
  EXPECT_NE((*made)["metadata"]["creationTimestamp"].AsString(), "2001-01-01T00:00:00Z");
  EXPECT_FALSE(kube::IsDeleting(*made) || (*made)["metadata"].Has("selfLink"));
}

TEST_F(WebhookAnswers, NeverMoveObjects) {
  Register();
  hook_.Patch(R"([{"op":"replace","path":"/metadata/namespace","value":"kube-system"}])");
  const std::string moved =
      "the namespace of the provided object does not match the namespace sent on the request";
  EXPECT_EQ(WhyNot(Make()), moved);
  hook_.answer = Doc("{allowed: true}");
  ASSERT_TRUE(Make());
  hook_.Patch(R"([{"op":"replace","path":"/metadata/namespace","value":"kube-system"}])");
  EXPECT_EQ(WhyNot(Change()), moved);
  EXPECT_FALSE(server_->Get(api::kConfigMaps, {"kube-system", "a"}));
  hook_.Patch(R"([{"op":"remove","path":"/metadata/namespace"}])");
  EXPECT_TRUE(Change()) << "it is where the request says";
}

TEST_F(WebhookAnswers, NeverRenameObjectsThatExist) {
  Register();
  ASSERT_TRUE(Make());
  hook_.Patch(R"([{"op":"replace","path":"/metadata/name","value":"b"}])");
  EXPECT_EQ(WhyNot(Change()),
            "ConfigMap \"b\" is invalid: metadata.name: Invalid value: \"b\": field is immutable");
  hook_.Patch(R"([{"op":"replace","path":"/metadata/uid","value":"b"}])");
  EXPECT_EQ(WhyNot(Change()),
            "ConfigMap \"a\" is invalid: metadata.uid: Invalid value: \"b\": field is immutable");
  hook_.Patch(R"([{"op":"remove","path":"/metadata/uid"},
                  {"op":"replace","path":"/metadata/creationTimestamp","value":null}])");
  EXPECT_TRUE(Change());
}

TEST_F(WebhookAnswers, NeverChangeTheKind) {
  Register();
  hook_.Patch(R"([{"op":"replace","path":"/kind","value":"Secret"}])");
  EXPECT_EQ(WhyNot(Make()), "converting (v1.Secret) to (core.ConfigMap): unknown conversion");
  hook_.Patch(R"([{"op":"replace","path":"/kind","value":"Sacred"}])");
  EXPECT_THAT(WhyNot(Make()), HasSubstr("no kind \"Sacred\" is registered for version \"v1\""));
  hook_.Patch(R"([{"op":"remove","path":"/kind"}])");
  EXPECT_THAT(WhyNot(Make()), HasSubstr("Object 'Kind' is missing in"));
}

TEST_F(WebhookAnswers, NeverChangeTheKindOfCustomResources) {
  server_.MustCreate(api::kCustomResourceDefinitions, R"(
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
)");
  const api::Resource gadgets{"example.com", "v1", "gadgets", "Gadget", true};
  Register(api::kMutatingWebhooks,
           "[{operations: ['*'], apiGroups: [example.com], apiVersions: ['*'], resources: ['*']}]");
  hook_.Patch(R"([{"op":"replace","path":"/kind","value":"Widget"}])");
  EXPECT_EQ(WhyNot(server_->Create(gadgets, kube::NewObject(gadgets, "default", "a"))),
            "Gadget.example.com \"a\" is invalid: kind: Invalid value: \"Widget\": must be Gadget");
}

TEST_F(WebhookAnswers, AreReadAsObjectsOfTheirKind) {
  Register();
  hook_.Patch(R"([{"op":"add","path":"/data","value":{"number":7}}])");
  EXPECT_THAT(WhyNot(Make()), HasSubstr("Internal error occurred: json: cannot unmarshal number"));
  hook_.Patch(R"([{"op":"add","path":"/unknown","value":1}])");
  const auto made = Make();
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_FALSE(made->Has("unknown"));
}

TEST_F(WebhookAnswers, PatchesMustApplyWhateverTheFailurePolicy) {
  json::Value configuration = hook_.Configuration(api::kMutatingWebhooks, kConfigMapRules);
  configuration.Mutable("webhooks").MutableAt(0).Set("failurePolicy", "Ignore");
  ASSERT_TRUE(server_->Create(api::kMutatingWebhooks, configuration));
  hook_.Patch(R"([{"op":"remove","path":"/nowhere/at"}])");
  EXPECT_EQ(WhyNot(Make()),
            "Internal error occurred: remove operation does not apply: doc is missing path: "
            "\"/nowhere/at\": missing value");
}

TEST_F(WebhookAnswers, PatchesCannotExplode) {
  Register();
  std::string patch = R"([{"op":"add","path":"/data","value":{"a":"aaaaaaaaaaaaaaaa"}})";
  for (int i = 0; i < 60; ++i) patch += R"(,{"op":"copy","from":"","path":"/data/b"})";
  hook_.Patch(patch + "]");
  EXPECT_THAT(WhyNot(Make()), HasSubstr("Internal error occurred: "));
}

TEST_F(WebhookAnswers, ChangeNothingThatIsDeleted) {
  Register();
  ASSERT_TRUE(Make());
  hook_.Patch(R"([{"op":"add","path":"/data","value":{}}])");
  const auto deleted = server_->Delete(api::kConfigMaps, {"default", "a"});
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().message(),
            "Internal error occurred: admission webhook \"hook.example.com\" attempted to modify "
            "the object, which is not supported for this operation");
}

TEST_F(WebhookAnswers, MustBeForTheQuestion) {
  Register();
  const std::string invalid = kCalling + "received invalid webhook response: ";
  hook_.answer = Doc("{allowed: true, uid: other}");
  EXPECT_THAT(WhyNot(Make()),
              testing::AllOf(testing::StartsWith(invalid + "expected response.uid="),
                             testing::EndsWith(", got \"other\"")));
  hook_.answer = Doc("{allowed: true}");
  hook_.envelope = Doc("{kind: Pod}");
  EXPECT_EQ(WhyNot(Make()), kCalling +
                                "failed to call webhook: no kind \"Pod\" is registered for version "
                                "\"admission.k8s.io/v1\"");
  hook_.envelope = Doc("{kind: '', apiVersion: ''}");
  EXPECT_EQ(WhyNot(Make()), invalid +
                                "expected webhook response of admission.k8s.io/v1, "
                                "Kind=AdmissionReview, got /, Kind=");
  hook_.envelope = Doc("{response: null}");
  EXPECT_EQ(WhyNot(Make()), invalid + "webhook response was absent");
  hook_.envelope = {};
  hook_.answer = Doc("{allowed: true, patch: W10=}");
  EXPECT_EQ(WhyNot(Make()), invalid + "webhook returned response.patch but not response.patchType");
  hook_.answer = Doc("{allowed: true, patchType: JSONPatch}");
  EXPECT_EQ(WhyNot(Make()), invalid + "webhook returned response.patchType but not response.patch");
  hook_.answer = Doc("{allowed: true, patchType: Other, patch: W10=}");
  EXPECT_EQ(WhyNot(Make()), kCalling + "unsupported patch type \"Other\"");
  hook_.answer = Doc("{allowed: 'yes'}");
  EXPECT_EQ(WhyNot(Make()), kCalling +
                                "failed to call webhook: json: cannot unmarshal string into Go "
                                "struct field AdmissionResponse.response.allowed of type bool");
}

TEST_F(WebhookAnswers, OfValidatingWebhooksHaveNoPatch) {
  Register(api::kValidatingWebhooks);
  hook_.Patch(R"([{"op":"add","path":"/data","value":{}}])");
  EXPECT_EQ(WhyNot(Make()), kCalling +
                                "received invalid webhook response: validating webhook may not "
                                "return response.patch");
}

TEST_F(WebhookAnswers, HaveALimitedSize) {
  Register(api::kValidatingWebhooks);
  hook_.body = std::string(WebhookClient::kMaxAnswerBytes + 1, ' ');
  EXPECT_THAT(WhyNot(Make()), HasSubstr("the answer is longer than 5242880 bytes"));
}

TEST_F(WebhookAnswers, OtherThanSuccessAreExplained) {
  Register(api::kValidatingWebhooks);
  hook_.body = "oh no\n";
  hook_.type = "text/plain";
  hook_.status = 500;
  EXPECT_EQ(WhyNot(Make()), kCalling +
                                "failed to call webhook: an error on the server (\"oh no\") has "
                                "prevented the request from succeeding");
  hook_.status = 404;
  EXPECT_EQ(WhyNot(Make()),
            kCalling + "failed to call webhook: the server could not find the requested resource");
  hook_.status = 302;
  EXPECT_THAT(WhyNot(Make()), HasSubstr("the server responded with the status code 302"));
}

class WebhooksOfServices : public testing::Test {
 protected:
  void SetUp() override {
    if (OutsideAddress().empty()) GTEST_SKIP() << "this machine has no network interface";
    hook_ = std::make_unique<Answering>("0.0.0.0");
    json::Value configuration = hook_->Configuration(api::kValidatingWebhooks, kConfigMapRules);
    json::Value& client = configuration.Mutable("webhooks").MutableAt(0).Mutable("clientConfig");
    client.Erase("url");
    client.Set("service", Doc("{name: hook, namespace: default, path: /check}"));
    ASSERT_TRUE(server_->Create(api::kValidatingWebhooks, configuration));
  }
  void MakeService(std::string_view spec = "{ports: [{port: 443, name: web}]}") {
    json::Value service = kube::NewObject(api::kServices, "default", "hook");
    service.Set("spec", Doc(spec));
    ASSERT_TRUE(server_->Create(api::kServices, service));
  }
  // The port that the webhook listens on, at this address.
  base::Result<json::Value> MakeSlice(const std::string& address, bool ready = true) {
    json::Value slice =
        Doc("{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, metadata: "
            "{name: hook-1, namespace: default, labels: {kubernetes.io/service-name: hook}}}");
    json::Value endpoint = json::Value::Object({{"addresses", json::Value::Array({address})}});
    endpoint.Mutable("conditions").Set("ready", ready);
    slice.Set("endpoints", json::Value::Array({endpoint}));
    slice.Set("ports", json::Value::Array({json::Value::Object(
                           {{"name", "web"}, {"port", static_cast<int>(hook_->port())}})}));
    return server_->Create({"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", true},
                           slice);
  }
  std::string Outcome() {
    const auto made =
        server_->Create(api::kConfigMaps, kube::NewObject(api::kConfigMaps, "default", "a"));
    return made ? "accepted" : made.error().message();
  }

  const std::string post_ = kCalling +
                            "failed to call webhook: Post \"https://hook.default.svc:443/check?"
                            "timeout=5s\": ";
  TestServer server_;
  std::unique_ptr<Answering> hook_;
};

TEST_F(WebhooksOfServices, AreFoundAtTheirEndpoints) {
  MakeService();
  ASSERT_TRUE(MakeSlice(OutsideAddress()));
  EXPECT_EQ(Outcome(), "accepted");
  EXPECT_EQ(hook_->calls, 1);
}

TEST_F(WebhooksOfServices, AreFoundAtEndpointsOfTheOldKind) {
  MakeService();
  json::Value endpoints =
      Doc("{apiVersion: v1, kind: Endpoints, metadata: {name: hook, namespace: default}, subsets: "
          "[{addresses: [{}], ports: [{name: web}]}]}");
  json::Value& subset = endpoints.Mutable("subsets").MutableAt(0);
  subset.Mutable("addresses").MutableAt(0).Set("ip", OutsideAddress());
  subset.Mutable("ports").MutableAt(0).Set("port", static_cast<int>(hook_->port()));
  ASSERT_TRUE(server_->Create({"", "v1", "endpoints", "Endpoints", true}, endpoints));
  EXPECT_EQ(Outcome(), "accepted");
}

// The cluster address is nobody's here.
TEST_F(WebhooksOfServices, WithoutEndpointsAreNotDialled) {
  EXPECT_EQ(Outcome(), post_ + "service \"hook\" not found");
  MakeService();
  EXPECT_EQ(Outcome(), post_ + "no endpoints available for service \"hook\"");
  ASSERT_TRUE(MakeSlice(OutsideAddress(), false));
  EXPECT_EQ(Outcome(), post_ + "no endpoints available for service \"hook\"") << "not ready";
  EXPECT_EQ(hook_->calls, 0);
}

TEST_F(WebhooksOfServices, NeedAPortOfTheService) {
  MakeService("{ports: [{port: 8443, name: web}]}");
  EXPECT_EQ(Outcome(), post_ + "no service port 443 found for service \"hook\"");
}

TEST_F(WebhooksOfServices, ThatAreOnlyNamesAreNotDialled) {
  MakeService("{type: ExternalName, externalName: example.com}");
  EXPECT_EQ(Outcome(), post_ + "unsupported service type \"ExternalName\"");
}

// Who may write Endpoints must not send the server anywhere.
TEST_F(WebhooksOfServices, AreDialledWhereTheClusterIs) {
  MakeService();
  for (const char* address : {"127.0.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1"}) {
    EXPECT_TRUE(MakeSlice(address).Is(ErrorCode::kInvalid)) << address;
  }
  ASSERT_TRUE(MakeSlice("192.0.2.1"));
  EXPECT_EQ(Outcome(), post_ + "no endpoints available for service \"hook\"") << "no pod has it";
}

TEST_F(WebhooksOfServices, AreFoundInPodsOfTheirNamespace) {
  server_.MustCreate(api::kNamespaces, "{metadata: {name: other}}");
  const json::Value reference = Doc("{name: hook, namespace: default}");
  const auto address = [&] { return ServiceAddress(server_.server->core().store(), reference); };
  const auto run = [&](const char* ns) {
    ASSERT_TRUE(server_->Create(api::kPods, PodDoc("p", ns)));
    ASSERT_TRUE(server_->Patch(api::kPods, {ns, "p"}, kube::PatchType::kMerge,
                               Doc("{status: {podIP: 192.0.2.1, podIPs: [{ip: 192.0.2.1}]}}"),
                               {.subresource = "status"}));
  };
  MakeService();
  ASSERT_TRUE(MakeSlice("192.0.2.1"));
  run("other");
  EXPECT_FALSE(address());
  run("default");
  EXPECT_EQ(*address(), "192.0.2.1:" + std::to_string(hook_->port()));
}

// As Kubernetes' endpoint controller would have it.
TEST_F(WebhooksOfServices, AreFoundInThePodsThatTheServiceSelects) {
  MakeService("{selector: {app: hook}, ports: [{port: 443, name: web, targetPort: https}]}");
  const auto address = [&] {
    return ServiceAddress(server_.server->core().store(), Doc("{name: hook, namespace: default}"));
  };
  json::Value pod = PodDoc("p");
  pod.Mutable("metadata").Set("labels", Doc("{app: hook}"));
  pod.Mutable("spec")
      .Mutable("containers")
      .MutableAt(0)
      .Set("ports", Doc("[{name: https, containerPort: 9443}]"));
  ASSERT_TRUE(server_->Create(api::kPods, pod));
  EXPECT_FALSE(address()) << "it has no address";
  const auto become = [&](const char* status) {
    ASSERT_TRUE(server_->Patch(api::kPods, {"default", "p"}, kube::PatchType::kMerge,
                               json::Value::Object({{"status", Doc(status)}}),
                               {.subresource = "status"}));
  };
  become("{podIP: 192.0.2.7, podIPs: [{ip: 192.0.2.7}], phase: Running}");
  EXPECT_FALSE(address()) << "it is not ready";
  become("{conditions: [{type: Ready, status: 'True'}]}");
  ASSERT_TRUE(address());
  EXPECT_EQ(*address(), "192.0.2.7:9443");
  become("{phase: Failed}");
  EXPECT_FALSE(address()) << "its address may be another's by now";
}

}  // namespace
}  // namespace coppice::server
