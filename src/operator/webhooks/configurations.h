#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::operators::webhooks {

// Where the API server reaches our webhooks: a URL or, if that is empty, the Service
// `grove-operator` in a namespace.
struct WebhookAddress {
  std::string url;  // "https://10.0.0.1:2750".
  std::string ns;
};

// The webhook configurations as in upstream's chart; the authorizer only if `authorizer`.
std::vector<json::Value> MakeConfigurations(const WebhookAddress& address,
                                            const std::string& ca_pem, bool authorizer);

// Creates missing configurations and sets the CA on existing ones. Changes by others to an existing
// configuration are kept, except for the URL that it calls. A process at a URL disables the
// webhooks that call a Service and adds its own beside them.
base::Status InstallConfigurations(kube::Client& client, const WebhookAddress& address,
                                   const std::string& ca_pem, bool authorizer);

// Whether a process at a URL has disabled this webhook.
bool IsSetAside(const json::Value& webhook);
// Whether it calls a process at a URL, beside disabled webhooks that call a Service.
bool CallsInsteadOfService(const json::Value& configuration);

// Removes the webhooks that call this URL when its process ends, because nothing else will answer
// there.
base::Status WithdrawConfigurations(kube::Client& client, const std::string& url);

}  // namespace coppice::operators::webhooks
