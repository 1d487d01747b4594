#include "services/platform/webhooks.h"

#include <fmt/format.h>

#include "http/crypto.h"
#include "kube/object.h"
#include "services/platform/kinds.h"
#include "services/platform/objects.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr std::chrono::hours kValidity{24 * 365 * 10};

const Value& FindWebhook(const Value& configuration, std::string_view name) {
  static const Value kNone;
  for (const Value& webhook : configuration["webhooks"].Items()) {
    if (webhook["name"].AsString() == name) return webhook;
  }
  return kNone;
}

bool HasKey(const Value& expressions, const Value& key) {
  for (const Value& expression : expressions.Items()) {
    if (expression["key"] == key) return true;
  }
  return false;
}

// Platforms add selectors of their own to webhooks, which would otherwise be fought over.
void KeepForeign(const Value& live, Value& webhook) {
  for (const Value& expression : live["namespaceSelector"]["matchExpressions"].Items()) {
    Value& selector = webhook.Mutable("namespaceSelector");
    if (!HasKey(selector["matchExpressions"], expression["key"])) {
      selector.Mutable("matchExpressions").Append(expression);
    }
  }
  for (const char* field : {"timeoutSeconds", "matchPolicy"}) {
    if (live.Has(field)) webhook.SetDefault(field, live[field]);
  }
}

}  // namespace

base::Result<Desired> CertificateSecret(const Value& spec, std::string_view secret,
                                        std::string_view service, const Surroundings& cluster) {
  Desired made = NewObject(api::kSecrets, spec, secret);
  const Value live = cluster.Live(api::kSecrets, spec["namespace"].AsString(), secret);
  if (live["data"].Has("tls.crt")) {
    made.object.Set("data", live["data"]);
    return made;
  }
  const std::string host = fmt::format("{}.{}.svc", service, spec["namespace"].AsString());
  COPPICE_ASSIGN(const http::KeyPair pair, cluster.make_certificate(host, cluster.now, kValidity));
  made.object.Set("data", Value::Object({{"tls.crt", http::Base64Encode(pair.certificate_pem)},
                                         {"tls.key", http::Base64Encode(pair.key_pem)}}));
  return made;
}

Value CaBundle(const Desired& secret) { return secret.object["data"]["tls.crt"]; }

Value MakeWebhook(const Value& spec, std::string_view name, const WebhookRule& rule,
                  const WebhookTarget& target) {
  Value service = Value::Object({{"namespace", spec["namespace"]},
                                 {"name", target.service},
                                 {"path", target.path},
                                 {"port", target.port.IsNull() ? Value(443) : target.port}});
  Value operations = Value::Array({"CREATE"});
  if (rule.on_update) operations.Append("UPDATE");
  const Value wanted = Value::Object({{"operations", std::move(operations)},
                                      {"apiGroups", Value::Array({rule.group})},
                                      {"apiVersions", Value::Array({rule.version})},
                                      {"resources", Value::Array({rule.plural})},
                                      {"scope", rule.cluster_scoped ? "Cluster" : "Namespaced"}});
  return Value::Object({{"name", name},
                        {"admissionReviewVersions", Value::Array({"v1"})},
                        {"sideEffects", "None"},
                        {"failurePolicy", "Fail"},
                        {"clientConfig", Value::Object({{"service", std::move(service)},
                                                        {"caBundle", target.ca_bundle}})},
                        {"rules", Value::Array({wanted})}});
}

Desired MakeWebhookConfiguration(const api::Resource& resource, std::string_view name,
                                 std::string_view app, std::vector<Value> webhooks,
                                 const Surroundings& cluster) {
  const Value live = cluster.Live(resource, "", name);
  for (Value& webhook : webhooks) {
    KeepForeign(FindWebhook(live, webhook["name"].AsString()), webhook);
  }
  Desired made{resource, kube::NewObject(resource, "", name)};
  made.object.Mutable("metadata").Set("labels", Value::Object({{"app", app}}));
  made.object.Set("webhooks", Value::Array(std::move(webhooks)));
  return made;
}

}  // namespace coppice::services::platform
