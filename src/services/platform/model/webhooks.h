#pragma once

#include <string_view>

#include "services/platform/model/operand.h"

// Certificates and webhook configurations of the services that serve webhooks
// (docs/behaviour/platform.md K-88 and K-89).
namespace coppice::services::platform {

// Keys of such a Secret.
inline constexpr std::string_view kCertificateKey = "tls.crt";
inline constexpr std::string_view kPrivateKeyKey = "tls.key";

// The Secret with a service's certificate: the existing one, or a new self-signed one for
// `<service>.<namespace>.svc`.
base::Result<Desired> CertificateSecret(view::kai::ConfigSpec spec, std::string_view secret,
                                        std::string_view service, const Surroundings& cluster);
// The CA bundle for API servers. Valid as long as the Secret.
std::string_view CaBundle(const Desired& secret);

// Which requests a webhook sees.
struct WebhookRule {
  std::string_view group;
  std::string_view version;
  std::string_view plural;
  bool cluster_scoped = false;
  bool on_update = true;
};

// One webhook of a configuration, answered by `service` at `path`.
struct WebhookTarget {
  std::string_view service;
  std::string_view path;
  int64_t port = 443;
  std::string_view ca_bundle;
};

// A MutatingWebhook, or a ValidatingWebhook: without reinvocationPolicy they are alike.
json::Value MakeWebhook(view::kai::ConfigSpec spec, std::string_view name, const WebhookRule& rule,
                        const WebhookTarget& target);

// A configuration with these webhooks, labelled with its service. Additions by others to the live
// one (annotations, selectors by key, timeouts) are kept.
Desired MakeWebhookConfiguration(const api::Resource& resource, std::string_view name,
                                 std::string_view app, std::vector<json::Value> webhooks,
                                 const Surroundings& cluster);

}  // namespace coppice::services::platform
