#include "operator/webhooks/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/well_known.h"
#include "kube/object.h"

namespace coppice::operators::webhooks {
namespace {

using json::Value;

bool Has(const Value& list, std::string_view wanted) {
  const auto items = list.Items();
  return std::any_of(items.begin(), items.end(), [&](const Value& item) {
    return item.AsString() == wanted || item.AsString() == "*";
  });
}

bool ConcernsSets(const Value& webhook) {
  const auto rules = webhook["rules"].Items();
  return std::any_of(rules.begin(), rules.end(), [](const Value& rule) {
    return Has(rule["apiGroups"], api::kPodCliqueSets.group) &&
           Has(rule["resources"], api::kPodCliqueSets.plural);
  });
}

// What is wrong with a Service; "" when somebody serves it, or when it may not be read.
std::string ProblemOf(kube::Client& client, const api::ObjectKey& service) {
  const auto found = client.Get(api::kServices, service);
  if (found.Is(base::ErrorCode::kNotFound)) return "does not exist";
  if (!found) return "";
  const auto slices = client.List(
      api::kEndpointSlices,
      {.ns = service.ns, .label_selector = "kubernetes.io/service-name=" + service.name});
  if (!slices) return "";
  for (const Value& slice : slices->items) {
    for (const Value& endpoint : slice["endpoints"].Items()) {
      if (endpoint["conditions"]["ready"].AsBool(true)) return "";
    }
  }
  return "has no ready endpoints";
}

void LookAt(kube::Client& client, const Value& configuration, std::vector<std::string>& findings) {
  for (const Value& webhook : configuration["webhooks"].Items()) {
    const Value& service = webhook["clientConfig"]["service"];
    if (service.IsNull() || !ConcernsSets(webhook)) continue;
    if (webhook["failurePolicy"].AsString() == "Ignore") continue;
    const api::ObjectKey key{service["namespace"].ToString(), service["name"].ToString()};
    const std::string problem = ProblemOf(client, key);
    if (problem.empty()) continue;
    findings.push_back(
        fmt::format("{} {} calls Service {}, which {}: every change of a PodCliqueSet is refused",
                    kube::Kind(configuration), kube::Name(configuration), key.ToString(), problem));
  }
}

}  // namespace

std::vector<std::string> UnservedWebhooks(kube::Client& client) {
  std::vector<std::string> findings;
  for (const api::Resource& resource : {api::kMutatingWebhooks, api::kValidatingWebhooks}) {
    const auto configurations = client.List(resource);
    if (!configurations) continue;
    for (const Value& configuration : configurations->items) {
      LookAt(client, configuration, findings);
    }
  }
  return findings;
}

}  // namespace coppice::operators::webhooks
