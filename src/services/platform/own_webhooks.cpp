#include "services/platform/own_webhooks.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "http/crypto.h"
#include "kube/object.h"
#include "services/platform/config_defaults.h"
#include "services/platform/deploy.h"
#include "services/platform/operands.h"
#include "services/platform/webhooks.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr const char* kWebhookFieldManager = "coppice-webhooks";

WebhookNames NamesOf(const OwnWebhooks& webhooks) {
  return {webhooks.service, webhooks.service + "-tls"};
}

// What a Config would say about them.
Value SpecOf(const OwnWebhooks& webhooks) {
  const Value port = Value::Object({{"webhook", Value::Object({{"port", webhooks.port}})}});
  const Value controller = Value::Object({{"controllerService", port}});
  return ConfigWithDefaults(
      Value::Object({{"namespace", webhooks.ns},
                     {"global", Value::Object({{"schedulerName", webhooks.scheduler_name}})},
                     {"admission", port},
                     {"queueController", controller},
                     {"podGroupController", controller}}),
      {});
}

Surroundings Look(kube::Client& client, const OwnWebhooks& webhooks, base::Time now) {
  Surroundings seen{.now = now, .make_certificate = webhooks.make_certificate};
  seen.live = [&client](const api::Resource& resource,
                        const api::ObjectKey& key) -> std::optional<Value> {
    auto found = client.Get(resource, key);
    if (!found) return std::nullopt;
    return *std::move(found);
  };
  return seen;
}

// Each begins with the Secret.
base::Result<Objects> Configurations(const OwnWebhooks& webhooks, const Surroundings& seen) {
  const Value spec = SpecOf(webhooks);
  const WebhookNames names = NamesOf(webhooks);
  Objects all;
  for (const auto& [wanted, make] : {std::pair{webhooks.pods, &AdmissionWebhooks},
                                     {webhooks.queues, &QueueWebhooks},
                                     {webhooks.pod_groups, &PodGroupWebhooks}}) {
    if (!wanted) continue;
    COPPICE_ASSIGN(const Objects made, make(spec, names, seen));
    all.insert(all.end(), made.begin() + 1, made.end());
  }
  return all;
}

base::Result<std::string> Decoded(const Value& secret, std::string_view key) {
  const auto text = http::Base64Decode(secret["data"][key].AsString());
  if (!text || text->empty()) {
    return base::InvalidArgument(
        fmt::format("Secret {} has no usable {}; delete it to have a new "
                    "one made",
                    kube::KeyOf(secret).ToString(), key));
  }
  return *text;
}

}  // namespace

base::Result<http::KeyPair> EnsureOwnCertificate(kube::Client& client, const OwnWebhooks& webhooks,
                                                 base::Time now) {
  const WebhookNames names = NamesOf(webhooks);
  const api::ObjectKey key{webhooks.ns, names.secret};
  auto secret = client.Get(api::kSecrets, key);
  if (secret.Is(base::ErrorCode::kNotFound)) {
    COPPICE_ASSIGN(const Desired made,
                   CertificateSecret(SpecOf(webhooks), names.secret, names.service,
                                     Look(client, webhooks, now)));
    secret = client.Create(api::kSecrets, made.object);
    if (secret.Is(base::ErrorCode::kAlreadyExists)) secret = client.Get(api::kSecrets, key);
  }
  if (!secret) return secret.error().During("looking after the webhooks' certificate");
  http::KeyPair pair;
  COPPICE_ASSIGN(pair.certificate_pem, Decoded(*secret, "tls.crt"));
  COPPICE_ASSIGN(pair.key_pem, Decoded(*secret, "tls.key"));
  return pair;
}

base::Status RegisterWebhooks(kube::Client& client, const OwnWebhooks& webhooks, base::Time now) {
  COPPICE_ASSIGN(const Objects objects, Configurations(webhooks, Look(client, webhooks, now)));
  for (const Desired& desired : objects) {
    const auto live = client.Get(desired.resource, kube::KeyOf(desired.object));
    if (live && Covers(*live, desired.object)) continue;
    const auto applied =
        client.Patch(desired.resource, kube::KeyOf(desired.object), kube::PatchType::kApply,
                     desired.object, {.field_manager = kWebhookFieldManager, .force = true});
    if (!applied) {
      return applied.error().During(fmt::format("registering {}", kube::Name(desired.object)));
    }
  }
  return {};
}

}  // namespace coppice::services::platform
