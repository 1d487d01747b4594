#include "services/platform/own_webhooks.h"

#include <fmt/format.h>

#include "api/edit/kai.h"
#include "api/view/admissionregistration.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "base/base64.h"
#include "kube/object.h"
#include "services/platform/deploy.h"
#include "services/platform/model/config_defaults.h"
#include "services/platform/model/webhooks.h"
#include "services/platform/operands/operands.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr const char* kWebhookFieldManager = "coppice-webhooks";

WebhookNames NamesOf(const OwnWebhooks& webhooks) {
  return {webhooks.service, webhooks.service + "-tls"};
}

// What a Config would say about them.
Value SpecOf(const OwnWebhooks& webhooks) {
  Value made;
  const edit::kai::ConfigSpec spec(made);
  spec.set_namespace_(webhooks.ns);
  spec.global().set_schedulerName(webhooks.scheduler_name);
  spec.admission().webhook().set_port(webhooks.port);
  spec.queueController().controllerService().webhook().set_port(webhooks.port);
  spec.podGroupController().controllerService().webhook().set_port(webhooks.port);
  return ConfigWithDefaults(made, {});
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
  const Value config = SpecOf(webhooks);
  const view::kai::ConfigSpec spec(config);
  const WebhookNames names = NamesOf(webhooks);
  Objects all;
  const auto add = [&all](base::Result<Objects> made) -> base::Status {
    if (!made) return made.error();
    all.insert(all.end(), made->begin() + 1, made->end());
    return {};
  };
  if (webhooks.pods) COPPICE_TRY(add(AdmissionWebhooks(spec, names, seen, webhooks.placed)));
  if (webhooks.queues) COPPICE_TRY(add(QueueWebhooks(spec, names, seen)));
  if (webhooks.pod_groups) COPPICE_TRY(add(PodGroupWebhooks(spec, names, seen)));
  return all;
}

size_t CountWebhooks(const Value& configuration) {
  // A ValidatingWebhookConfiguration has them in the same place.
  return view::admissionregistration::MutatingWebhookConfiguration(configuration).webhooks().size();
}

base::Result<std::string> Decoded(const Value& secret, std::string_view key) {
  const auto text = base::Base64Decode(view::core::Secret(secret).data()[key]);
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
    const Value config = SpecOf(webhooks);
    COPPICE_ASSIGN(const Desired made,
                   CertificateSecret(view::kai::ConfigSpec(config), names.secret, names.service,
                                     Look(client, webhooks, now)));
    secret = client.Create(api::kSecrets, made.object);
    if (secret.Is(base::ErrorCode::kAlreadyExists)) secret = client.Get(api::kSecrets, key);
  }
  if (!secret) return secret.error().During("looking after the webhooks' certificate");
  http::KeyPair pair;
  COPPICE_ASSIGN(pair.certificate_pem, Decoded(*secret, kCertificateKey));
  COPPICE_ASSIGN(pair.key_pem, Decoded(*secret, kPrivateKeyKey));
  return pair;
}

base::Status RegisterWebhooks(kube::Client& client, const OwnWebhooks& webhooks, base::Time now) {
  COPPICE_ASSIGN(const Objects objects, Configurations(webhooks, Look(client, webhooks, now)));
  for (const Desired& desired : objects) {
    const auto live = client.Get(desired.resource, kube::KeyOf(desired.object));
    // A webhook too many is one that a former configuration asked for.
    if (live && Covers(*live, desired.object) &&
        CountWebhooks(*live) == CountWebhooks(desired.object)) {
      continue;
    }
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
