#include "services/platform/model/webhooks.h"

#include <fmt/format.h>

#include "api/edit/admissionregistration.h"
#include "api/edit/core.h"
#include "api/view/admissionregistration.h"
#include "api/view/core.h"
#include "base/base64.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/platform/model/kinds.h"
#include "services/platform/model/objects.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr std::chrono::hours kValidity{24 * 365 * 10};

const Value& FindWebhook(view::admissionregistration::MutatingWebhookConfiguration configuration,
                         std::string_view name) {
  static const Value kNone;
  for (const auto webhook : configuration.webhooks()) {
    if (webhook.name() == name) return webhook.Json();
  }
  return kNone;
}

bool HasKey(view::meta::LabelSelector selector, std::string_view key) {
  for (const auto expression : selector.matchExpressions()) {
    if (expression.key() == key) return true;
  }
  return false;
}

// Platforms add their own selectors to webhooks, which both sides would otherwise keep overwriting.
void KeepForeign(view::admissionregistration::MutatingWebhook live, Value& webhook) {
  const edit::admissionregistration::MutatingWebhook out(webhook);
  for (const auto expression : live.namespaceSelector().matchExpressions()) {
    const edit::meta::LabelSelector selector = out.namespaceSelector();
    if (HasKey(view::meta::LabelSelector(selector.Json()), expression.key())) continue;
    selector.matchExpressions().Json().Append(expression.Json());
  }
  const view::admissionregistration::MutatingWebhook ours(webhook);
  if (live.has_timeoutSeconds() && !ours.has_timeoutSeconds()) {
    out.set_timeoutSeconds(live.timeoutSeconds());
  }
  if (live.has_matchPolicy() && !ours.has_matchPolicy()) out.set_matchPolicy(live.matchPolicy());
}

}  // namespace

base::Result<Desired> CertificateSecret(view::kai::ConfigSpec spec, std::string_view secret,
                                        std::string_view service, const Surroundings& cluster) {
  Desired made = NewObject(api::kSecrets, spec, secret);
  const edit::core::Secret wanted(made.object);
  const Value found = cluster.Live(api::kSecrets, spec.namespace_(), secret);
  const view::core::Secret live(found);
  if (live.data().Has(kCertificateKey)) {
    wanted.set_data(live.data().Json());
    return made;
  }
  const std::string host = fmt::format("{}.{}.svc", service, spec.namespace_());
  COPPICE_ASSIGN(const http::KeyPair pair, cluster.make_certificate(host, cluster.now, kValidity));
  wanted.data()
      .Set(kCertificateKey, base::Base64Encode(pair.certificate_pem))
      .Set(kPrivateKeyKey, base::Base64Encode(pair.key_pem));
  return made;
}

std::string_view CaBundle(const Desired& secret) {
  return view::core::Secret(secret.object).data()[kCertificateKey];
}

Value MakeWebhook(view::kai::ConfigSpec spec, std::string_view name, const WebhookRule& rule,
                  const WebhookTarget& target) {
  Value made;
  const edit::admissionregistration::MutatingWebhook webhook(made);
  webhook.set_name(name)
      .set_admissionReviewVersions(Value::Array({"v1"}))
      .set_sideEffects("None")
      .set_failurePolicy("Fail");
  webhook.clientConfig().set_caBundle(target.ca_bundle);
  webhook.clientConfig()
      .service()
      .set_namespace_(spec.namespace_())
      .set_name(target.service)
      .set_path(target.path)
      .set_port(target.port);
  webhook.add_rules()
      .set_operations(rule.on_update ? Value::Array({"CREATE", "UPDATE"})
                                     : Value::Array({"CREATE"}))
      .set_apiGroups(Value::Array({rule.group}))
      .set_apiVersions(Value::Array({rule.version}))
      .set_resources(Value::Array({rule.plural}))
      .set_scope(rule.cluster_scoped ? "Cluster" : "Namespaced");
  return made;
}

Desired MakeWebhookConfiguration(const api::Resource& resource, std::string_view name,
                                 std::string_view app, std::vector<Value> webhooks,
                                 const Surroundings& cluster) {
  using view::admissionregistration::MutatingWebhook;
  using view::admissionregistration::MutatingWebhookConfiguration;
  const Value live = cluster.Live(resource, "", name);
  for (Value& webhook : webhooks) {
    const Value& known =
        FindWebhook(MutatingWebhookConfiguration(live), MutatingWebhook(webhook).name());
    KeepForeign(MutatingWebhook(known), webhook);
  }
  Desired made{resource, kube::NewObject(resource, "", name)};
  const edit::admissionregistration::MutatingWebhookConfiguration wanted(made.object);
  wanted.metadata().labels().Set(names::kAppLabel, app);
  wanted.set_webhooks(Value::Array(std::move(webhooks)));
  return made;
}

}  // namespace coppice::services::platform
