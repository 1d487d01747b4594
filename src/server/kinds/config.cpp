#include "api/selectors/names.h"
#include "base/base64.h"
#include "json/parse.h"
#include "kube/object.h"
#include "server/auth/token_secrets.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"

// ConfigMap and Secret.
namespace coppice::server {
namespace {

constexpr size_t kMaxBytes = 1 << 20;

void CheckFrozen(const json::Value& object, const json::Value& old, Causes& causes) {
  if (!old["immutable"].AsBool()) return;
  if (!object["immutable"].AsBool()) {
    causes.push_back(
        api::ForbiddenField("immutable", "field is immutable when `immutable` is set"));
  }
  for (const char* field : {"data", "binaryData"}) {
    if (object[field] == old[field]) continue;
    causes.push_back(api::ForbiddenField(field, "field is immutable when `immutable` is set"));
  }
}

void CheckJson(const json::Value& data, const char* key, Causes& causes) {
  const json::Value* entry = data.Find(key);
  if (entry == nullptr) return;
  const auto text = base::Base64Decode(entry->AsString());
  if (!text || json::Parse(*text)) return;
  causes.push_back(api::InvalidField(api::Key("data", key), "<secret contents redacted>",
                                     "unexpected end of JSON input"));
}

class ConfigMapKind : public KindRules {
 public:
  void Validate(const RuleContext&, const json::Value& map, Causes& causes) const override {
    size_t bytes = 0;
    for (const char* field : {"data", "binaryData"}) {
      for (const json::Member& entry : map[field].Members()) {
        CheckConfigKey(entry.key, api::Key(field, entry.name()), causes);
        bytes += entry.value.AsString().size();
      }
    }
    for (const json::Member& entry : map["data"].Members()) {
      if (!map["binaryData"].Has(entry.name())) continue;
      causes.push_back(api::InvalidField(api::Key("data", entry.name()), entry.name(),
                                         "duplicate of key present in binaryData"));
    }
    if (bytes > kMaxBytes) causes.push_back(api::TooLongField("[]", kMaxBytes));
  }
  void ValidateUpdate(const RuleContext&, const json::Value& map, const json::Value& old,
                      Causes& causes) const override {
    CheckFrozen(map, old, causes);
  }
};

class SecretKind : public KindRules {
 public:
  std::vector<api::SelectableField> SelectableFields() const override { return {"type"}; }

  void Default(json::Value& secret) const override {
    secret.SetDefault("type", "Opaque");
    if (secret["type"].AsString().empty()) secret.Set("type", "Opaque");
    const json::Value plain = secret["stringData"];
    for (const json::Member& entry : plain.Members()) {
      secret.Mutable("data").Set(entry.name(), base::Base64Encode(entry.value.AsString()));
    }
    secret.Erase("stringData");
  }

  void Validate(const RuleContext&, const json::Value& secret, Causes& causes) const override {
    size_t bytes = 0;
    for (const json::Member& entry : secret["data"].Members()) {
      CheckConfigKey(entry.key, api::Key("data", entry.name()), causes);
      bytes += entry.value.AsString().size() / 4 * 3;
      if (base::Base64Decode(entry.value.AsString())) continue;
      causes.push_back(api::InvalidField(api::Key("data", entry.name()),
                                         "<secret contents redacted>", "illegal base64 data"));
    }
    if (bytes > kMaxBytes) causes.push_back(api::TooLongField("data", kMaxBytes));
    const std::string_view type = secret["type"].AsString();
    const auto needs = [&](const char* key) {
      if (!secret["data"].Has(key)) causes.push_back(api::RequiredField(api::Key("data", key)));
    };
    if (type == kTokenSecretType && kube::Annotation(secret, kTokenSecretAccount).empty()) {
      causes.push_back(api::RequiredField(api::Key("metadata.annotations", kTokenSecretAccount)));
    }
    if (type == "kubernetes.io/tls") needs("tls.crt"), needs("tls.key");
    if (type == "kubernetes.io/dockerconfigjson") {
      needs(".dockerconfigjson");
      CheckJson(secret["data"], ".dockerconfigjson", causes);
    }
    if (type == "kubernetes.io/ssh-auth") needs("ssh-privatekey");
    if (type == "kubernetes.io/basic-auth" && !secret["data"].Has("username")) needs("password");
    if (type == "kubernetes.io/basic-auth" && !secret["data"].Has("password")) needs("username");
  }

  void ValidateUpdate(const RuleContext&, const json::Value& secret, const json::Value& old,
                      Causes& causes) const override {
    CheckImmutable(secret["type"], old["type"], "type", causes);
    CheckFrozen(secret, old, causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> ConfigMapRules() { return std::make_shared<ConfigMapKind>(); }
std::shared_ptr<const KindRules> SecretRules() { return std::make_shared<SecretKind>(); }

}  // namespace coppice::server
