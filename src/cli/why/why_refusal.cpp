#include "cli/why/why_refusal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity.h"
#include "kube/object.h"
#include "services/scheduler/read/shown_as.h"

namespace coppice::cli {
namespace {

using engine::Explanation;
using engine::Verdict;

// The text between two strings; empty if they do not occur.
std::string Between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t from = text.find(before);
  if (from == std::string_view::npos) return "";
  text.remove_prefix(from + before.size());
  return std::string(text.substr(0, std::min(text.find(after), text.size())));
}

// The amount of `name` in "a=1,b=2".
base::Quantity AmountIn(std::string_view list, std::string_view name) {
  const std::string text = Between(fmt::format(",{}", list), fmt::format(",{}=", name), ",");
  return base::Quantity::Parse(text).value_or(base::Quantity());
}

// "exceeded quota: NAME, requested: a=1, used: a=7, limited: a=8": each pod requests that much.
void AddQuota(std::string_view message, int64_t missing, Explanation& out) {
  const std::string name = Between(message, "exceeded quota: ", ",");
  const std::string requested = Between(message, "requested: ", ", used: ");
  const std::string used = Between(message, "used: ", ", limited: ");
  const std::string limited = Between(message, "limited: ", "\n");
  out.reason = "ResourceQuota";
  std::string_view rest = requested;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::string resource(item.substr(0, item.find('=')));
    const base::Quantity each = AmountIn(requested, resource), now = AmountIn(used, resource);
    base::Quantity to = now;
    for (int64_t i = 0; i < missing; ++i) to = to + each;
    const base::Quantity limit = AmountIn(limited, resource);
    if (to <= limit) continue;
    out.changes.push_back({"raiseQuota", name, (to - limit).ToDouble(), resource,
                           fmt::format("raise {} of ResourceQuota `{}` from {} to {}", resource,
                                       name, limit.ToString(), to.ToString())});
  }
  out.summary =
      fmt::format("ResourceQuota `{}` leaves no room for {}: each asks for {}, {} in use", name,
                  missing == 1 ? "1 pod" : fmt::format("{} pods", missing), requested, used);
}

void AddMissingObject(std::string_view kind, const std::string& name, Explanation& out) {
  out.reason = fmt::format("{}NotFound", kind);
  out.summary = fmt::format("{} `{}` does not exist, and its pods are refused", kind, name);
  out.changes.push_back(
      {"create", name, 1, std::string(kind), fmt::format("create {} `{}`", kind, name)});
}

}  // namespace

Explanation ExplanationOf(const json::Value& object, Verdict verdict, std::string reason,
                          std::string summary) {
  Explanation out;
  out.group = {std::string(kube::Namespace(object)), std::string(kube::Name(object))};
  out.object = services::scheduler::ShownAs(object);
  out.verdict = verdict;
  out.reason = std::move(reason);
  out.summary = std::move(summary);
  return out;
}

Explanation ExplainRefusal(const json::Value& object, std::string_view message, int64_t missing) {
  Explanation out = ExplanationOf(object, Verdict::kNeedsAction, "FailedCreate",
                                  fmt::format("its pods are refused: {}", message));
  out.message = message;
  const std::string priority = Between(message, "no PriorityClass with name ", " was found");
  const std::string webhook = Between(message, "admission webhook \"", "\"");
  const std::string absent = Between(message, "failed calling webhook \"", "\"");
  const std::string account = Between(message, "error looking up service account ", ":");
  if (message.find("exceeded quota: ") != std::string_view::npos) {
    AddQuota(message, std::max<int64_t>(missing, 1), out);
  } else if (!priority.empty()) {
    AddMissingObject("PriorityClass", priority, out);
  } else if (!webhook.empty()) {
    out.reason = "RefusedByWebhook";
    out.changes.push_back({"changePods", webhook, 1, "",
                           fmt::format("change the pods as webhook `{}` demands{}", webhook,
                                       Between(message, "denied the request", "\n"))});
  } else if (!absent.empty()) {
    out.reason = "WebhookUnavailable";
    out.summary = fmt::format("its pods are refused, for webhook `{}` does not answer", absent);
    out.changes.push_back(
        {"start", absent, 1, "Webhook",
         fmt::format("bring webhook `{}` back, or delete its configuration", absent)});
  } else if (!account.empty()) {
    AddMissingObject("ServiceAccount", account.substr(account.find('/') + 1), out);
  } else if (message.find("being terminated") != std::string_view::npos) {
    out.reason = "NamespaceTerminating";
    out.summary = fmt::format("namespace {} is being deleted, and takes no more pods",
                              kube::Namespace(object));
    out.changes.push_back({"changePods", std::string(kube::Namespace(object)), 1, "Namespace",
                           "create it in another namespace"});
  } else {
    out.changes.push_back({"changePods", std::string(kube::Name(object)), 1, "",
                           "change the pod template so that the server accepts its pods"});
  }
  return out;
}

}  // namespace coppice::cli
