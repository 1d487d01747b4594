#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::operators::webhooks {

// Where an API server finds our webhooks: a URL, or (when that is empty) the Service
// `grove-operator` of a namespace.
struct WebhookAddress {
  std::string url;  // "https://10.0.0.1:2750".
  std::string ns;
};

// The webhook configurations as upstream's chart writes them; the authorizer only when asked for.
std::vector<json::Value> MakeConfigurations(const WebhookAddress& address,
                                            const std::string& ca_pem, bool authorizer);

// Creates those that are missing and gives the CA to those that are there. What somebody else has
// set on an existing configuration stays, but for a URL that it calls. A process at a URL sets the
// webhooks that call a Service aside and adds its own beside them.
base::Status InstallConfigurations(kube::Client& client, const WebhookAddress& address,
                                   const std::string& ca_pem, bool authorizer);

// Whether a process at a URL has set this webhook aside.
bool IsSetAside(const json::Value& webhook);
// Whether it calls a process at a URL beside webhooks that call a Service, which are set aside.
bool CallsInsteadOfService(const json::Value& configuration);

// Takes back what calls this URL, whose process ends: nobody else will ever answer there.
base::Status WithdrawConfigurations(kube::Client& client, const std::string& url);

}  // namespace coppice::operators::webhooks
