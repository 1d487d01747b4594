#include "server/front/access_stage_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/strings.h"
#include "server/crd/crd_serving.h"

namespace coppice::server {
namespace {

constexpr std::string_view kCustom = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: walk.example.com
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {{}}
      scale: {{specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}
  scope: {0}
  names: {{plural: {1}, kind: {2}}}
metadata: {{name: {1}.walk.example.com}}
)";

constexpr std::string_view kWalkBinding = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: {0}Binding
metadata: {{name: walk-{1}, namespace: "{2}"}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: walk-{1}}}
subjects: [{{kind: User, apiGroup: rbac.authorization.k8s.io, name: {1}}}]
)";

class AnswerWriter final : public http::ResponseWriter {
 public:
  explicit AnswerWriter(std::shared_ptr<Answered> answered) : answered_(std::move(answered)) {}
  void Send(http::Response response) override {
    answered_->status = response.status;
    answered_->text = response.BodyView();
    for (const http::Bytes& part : response.parts) answered_->text += *part;
  }
  void Start(int status, http::Headers) override { answered_->status = status; }
  bool Write(http::Bytes bytes) override {
    answered_->text += *bytes;
    return true;
  }
  void Finish() override {}
  bool Closed() const override { return false; }
  void OnClosed(std::function<void()>) override {}
  size_t Buffered() const override { return 0; }
  void OnDrained(std::function<void()>) override {}

 private:
  const std::shared_ptr<Answered> answered_;
};

std::string BodyOf(const Asked& asked) {
  if (asked.method == "GET" || asked.method == "DELETE") return "";
  return fmt::format(R"({{"metadata": {{"name": "{}", "labels": {{"walked": "yes"}}}}}})",
                     asked.name.empty() ? "three" : asked.name);
}

}  // namespace

AccessStage::AccessStage() {
  for (const char* name : {"team", "other"}) {
    server_.MustCreate(api::kNamespaces, fmt::format("metadata: {{name: {}}}", name));
  }
  EXPECT_TRUE(
      server_.server->InstallCrd(Doc(fmt::format(kCustom, "Namespaced", "widgets", "Widget"))));
  EXPECT_TRUE(
      server_.server->InstallCrd(Doc(fmt::format(kCustom, "Cluster", "gadgets", "Gadget"))));
  for (const ServedPtr& served : core().registry()->Stored()) Fill(*served);
  TakeChanges();
}

// Straight into the store: no kind's rules are in the way.
void AccessStage::Fill(const ServedResource& served) {
  for (const char* ns : {"team", "other"}) {
    for (const char* name : {"one", "two"}) {
      json::Value object = json::Value::Object(
          {{"apiVersion", served.storage_version}, {"kind", served.resource.kind}});
      object.Mutable("metadata").Set("name", name);
      if (served.resource.namespaced) object.Mutable("metadata").Set("namespace", ns);
      (void)core().store().Put(served.storage, served.NameOf(ns, name), 0, std::move(object));
    }
  }
}

User AccessStage::AddUser(const std::string& name, const std::vector<Granted>& rules) {
  for (const Granted& rule : rules) {
    json::Value role = Doc(fmt::format("metadata: {{name: walk-{}}}", name));
    json::Value entry = json::Value::Object({{"apiGroups", json::Value::Array({"*"})},
                                             {"verbs", json::StringList(rule.verbs)},
                                             {"resources", json::StringList(rule.resources)}});
    if (!rule.names.empty()) entry.Set("resourceNames", json::StringList(rule.names));
    role.Set("rules", json::Value::Array({std::move(entry)}));
    EXPECT_TRUE(server_->Create(Rbac("clusterroles"), role));
    const bool everywhere = rule.ns.empty();
    server_.MustCreate(
        Rbac(everywhere ? "clusterrolebindings" : "rolebindings"),
        fmt::format(kWalkBinding, everywhere ? "ClusterRole" : "Role", name, rule.ns));
  }
  for (const std::string& resource : core().store().Resources()) {
    const store::Listing all = *core().store().List(resource, {});
    for (const store::VersionPtr& each : all.items) first_[{resource, each->name()}] = each;
  }
  seen_ = core().store().revision();
  return User{name, {}, "", {}};
}

std::shared_ptr<Answered> AccessStage::Send(ResourceHandler& handler, const User& user,
                                            const Asked& asked) {
  auto answered = std::make_shared<Answered>();
  Call call{.http = {.method = asked.method, .path = asked.Path(), .body = BodyOf(asked)},
            .writer = std::make_shared<AnswerWriter>(answered),
            .user = user};
  call.http.query = http::Query::Parse(asked.query);
  call.http.headers.Set("content-type", asked.method == "PATCH" ? "application/merge-patch+json"
                                                                : "application/json");
  call.info = RequestInfo::Parse(call.http.method, call.http.path, call.http.query);
  handler.Handle(std::move(call));
  return answered;
}

AccessStage::Changes AccessStage::TakeChanges() {
  Changes changes;
  if (core().store().revision() == seen_) return changes;
  for (const std::string& resource : core().store().Resources()) {
    const auto read = core().store().ReadLog(resource, seen_, 1000);
    if (!read) continue;
    for (const store::Change& change : read->changes) changes.emplace_back(resource, change);
  }
  for (const auto& [resource, change] : changes) PutBack(resource, change.current->name());
  seen_ = core().store().revision();
  return changes;
}

api::Resource AccessStage::Rbac(std::string_view plural) {
  return core().registry()->Find("rbac.authorization.k8s.io", "v1", plural)->resource;
}

void AccessStage::PutBack(const std::string& resource, const std::string& name) {
  const store::VersionPtr now = core().store().Get(resource, name);
  const auto first = first_.find({resource, name});
  if (first != first_.end()) {
    (void)core().store().Put(resource, name, now ? now->revision() : 0, first->second->value());
  } else if (now && !first_.empty()) {
    (void)core().store().Delete(resource, name, now->revision());
  }
  if (resource == kCrdStorage) ServeCrd(core(), name);
}

}  // namespace coppice::server
