#include "operator/webhooks/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "api/view/admissionregistration.h"
#include "api/view/discovery.h"
#include "api/well_known.h"
#include "base/base64.h"
#include "http/client/client.h"
#include "kube/object.h"
#include "operator/webhooks/configurations.h"

namespace coppice::operators::webhooks {
namespace {

using json::Value;

using view::admissionregistration::RuleWithOperations;
using view::admissionregistration::WebhookClientConfig;
// Validating webhooks have the relevant fields in the same places.
using WebhookEntry = view::admissionregistration::MutatingWebhook;

bool Has(view::List<std::string_view> list, std::string_view wanted) {
  return std::any_of(list.begin(), list.end(),
                     [&](std::string_view item) { return item == wanted || item == "*"; });
}

bool Concerns(WebhookEntry webhook, const api::Resource& resource) {
  const auto rules = webhook.rules();
  return std::any_of(rules.begin(), rules.end(), [&](RuleWithOperations rule) {
    return Has(rule.apiGroups(), resource.group) && Has(rule.resources(), resource.plural);
  });
}

// What is wrong with a Service; "" if it has endpoints, or if it may not be read.
std::string ProblemOf(kube::Client& client, const api::ObjectKey& service) {
  const auto found = client.Get(api::kServices, service);
  if (found.Is(base::ErrorCode::kNotFound)) return "does not exist";
  if (!found) return "";
  const auto slices = client.List(
      api::kEndpointSlices,
      {.ns = service.ns, .label_selector = "kubernetes.io/service-name=" + service.name});
  if (!slices) return "";
  for (const Value& slice : slices->items) {
    for (const auto endpoint : view::discovery::EndpointSlice(slice).endpoints()) {
      if (endpoint.conditions().ready(true)) return "";
    }
  }
  return "has no ready endpoints";
}

std::string LookAtService(kube::Client& client, WebhookEntry webhook) {
  if (!Concerns(webhook, api::kPodCliqueSets) || IsSetAside(webhook.Json())) return "";
  const auto service = webhook.clientConfig().service();
  const api::ObjectKey key{std::string(service.namespace_()), std::string(service.name())};
  const std::string problem = ProblemOf(client, key);
  if (problem.empty()) return "";
  return fmt::format("calls Service {}, which {}: every change of a PodCliqueSet is refused",
                     key.ToString(), problem);
}

// One of those that we install. URLs of others are ignored.
bool IsOurs(const Value& configuration) {
  const auto ours = MakeConfigurations({}, "", /*authorizer=*/true);
  return std::any_of(ours.begin(), ours.end(), [&](const Value& one) {
    return kube::Kind(one) == kube::Kind(configuration) &&
           kube::Name(one) == kube::Name(configuration);
  });
}

std::string_view WhatItRefuses(WebhookEntry webhook) {
  if (Concerns(webhook, api::kPodCliqueSets)) return "a PodCliqueSet";
  if (Concerns(webhook, api::kClusterTopologyBindings)) return "a ClusterTopologyBinding";
  return "what belongs to a PodCliqueSet";
}

std::string Remedy(const Value& configuration) {
  if (CallsInsteadOfService(configuration)) {
    return "start that operator again; when it ends properly, its Service has the webhook back";
  }
  std::string kind(kube::Kind(configuration));
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return fmt::format("start that operator again, or kubectl delete {} {}", kind,
                     kube::Name(configuration));
}

// Calls webhooks like an API server, once per process.
class Caller {
 public:
  explicit Caller(std::chrono::milliseconds patience) : patience_(patience) {}

  // Why there is no response; "" if there is one, whatever it is.
  const std::string& ProblemWith(WebhookClientConfig client_config) {
    const std::string url(client_config.url());
    const size_t host = url.find("//");
    const size_t path = host == std::string::npos ? host : url.find('/', host + 2);
    const auto [found, is_new] = problems_.try_emplace(url.substr(0, path));
    if (is_new) found->second = Call(url, client_config.caBundle());
    return found->second;
  }

 private:
  std::string Call(const std::string& url, std::string_view ca) const {
    http::ClientOptions options{.proxy_url = "none", .connect_timeout = patience_};
    options.tls.ca_pem = base::Base64Decode(ca).value_or("");
    const auto transport = http::ClientTransport::Make(std::move(options));
    if (!transport) return transport.error().message();
    const http::Exchange exchange = (*transport)->Send({.url = url, .timeout = patience_});
    return exchange.response ? "" : exchange.response.error().message();
  }

  const std::chrono::milliseconds patience_;
  std::map<std::string, std::string> problems_;  // By "https://host:port".
};

std::string LookAtUrl(Caller& caller, const Value& configuration, WebhookEntry webhook) {
  if (!IsOurs(configuration)) return "";
  const std::string& problem = caller.ProblemWith(webhook.clientConfig());
  if (problem.empty()) return "";
  return fmt::format(
      "calls {}, where nobody answers from here ({}): every change of {} is refused; {}",
      webhook.clientConfig().url(), problem, WhatItRefuses(webhook), Remedy(configuration));
}

}  // namespace

std::vector<std::string> UnservedWebhooks(kube::Client& client,
                                          std::chrono::milliseconds patience) {
  std::vector<std::string> findings;
  Caller caller(patience);
  using Configuration = view::admissionregistration::MutatingWebhookConfiguration;
  for (const api::Resource& resource : {api::kMutatingWebhooks, api::kValidatingWebhooks}) {
    const auto configurations = client.List(resource);
    if (!configurations) continue;
    for (const Value& configuration : configurations->items) {
      for (const WebhookEntry webhook : Configuration(configuration).webhooks()) {
        if (webhook.failurePolicy() == "Ignore") continue;
        const std::string finding = webhook.clientConfig().has_url()
                                        ? LookAtUrl(caller, configuration, webhook)
                                        : LookAtService(client, webhook);
        if (finding.empty()) continue;
        findings.push_back(
            fmt::format("{} {} {}", resource.kind, kube::Name(configuration), finding));
      }
    }
  }
  return findings;
}

}  // namespace coppice::operators::webhooks
