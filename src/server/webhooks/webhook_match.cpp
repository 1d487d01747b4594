#include "server/webhooks/webhook_match.h"

#include <algorithm>

#include "api/schema/cel_json.h"
#include "api/selectors/label_selector.h"
#include "cel/program.h"
#include "server/webhooks/admission_review.h"

namespace coppice::server {
namespace {

bool Lists(const json::Value& list, std::string_view wanted) {
  const auto items = list.Items();
  return std::any_of(items.begin(), items.end(), [&](const json::Value& item) {
    return item.AsString() == "*" || item.AsString() == wanted;
  });
}

bool ListsResource(const json::Value& list, const AdmissionRequest& request) {
  const std::string& plural = request.resource.plural;
  for (const json::Value& item : list.Items()) {
    const std::string_view text = item.AsString();
    if (request.subresource.empty()) {
      if (text == "*" || text == "*/*" || text == plural) return true;
      continue;
    }
    if (text == "*/*" || text == plural + "/*" || text == "*/" + request.subresource ||
        text == plural + "/" + request.subresource) {
      return true;
    }
  }
  return false;
}

bool RuleMatches(const json::Value& rule, const AdmissionRequest& request) {
  const std::string_view scope = rule["scope"].AsString("*");
  if (scope == "Namespaced" && !request.resource.namespaced) return false;
  if (scope == "Cluster" && request.resource.namespaced) return false;
  return Lists(rule["operations"], OperationName(request.operation)) &&
         Lists(rule["apiGroups"], request.resource.group) &&
         Lists(rule["apiVersions"], request.resource.version) &&
         ListsResource(rule["resources"], request);
}

bool SelectorMatches(const json::Value& selector, const json::Value& labels) {
  if (selector.IsNull()) return true;
  const auto parsed = api::LabelSelector::FromObject(selector);
  return parsed && parsed->Matches(labels);
}

bool NamespaceMatches(const json::Value& selector, const AdmissionRequest& request,
                      const json::Value& object, const store::Store& store) {
  if (selector.IsNull() || selector.empty()) return true;
  if (request.resource.kind == "Namespace" && request.resource.group.empty()) {
    return SelectorMatches(selector,
                           (object.IsNull() ? request.old_object : object)["metadata"]["labels"]);
  }
  if (!request.resource.namespaced) return true;
  const store::VersionPtr ns = store.Get("/namespaces", request.key.ns);
  return ns && SelectorMatches(selector, ns->value()["metadata"]["labels"]);
}

base::Result<bool> ConditionsMatch(const json::Value& conditions, const AdmissionRequest& request,
                                   const json::Value& object) {
  for (const json::Value& condition : conditions.Items()) {
    COPPICE_ASSIGN(const cel::Program program,
                   cel::Program::Compile(condition["expression"].AsString(),
                                         {"object", "oldObject", "request"}));
    const json::Value about = ReviewRequest(request, object, "");
    const cel::Value values[] = {api::ToCel(object, nullptr),
                                 api::ToCel(request.old_object, nullptr),
                                 api::ToCel(about, nullptr)};
    COPPICE_ASSIGN(const cel::Value result, program.Evaluate(values));
    if (!result.IsTrue()) return false;
  }
  return true;
}

}  // namespace

const char* OperationName(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "CREATE";
    case Operation::kUpdate:
      return "UPDATE";
    case Operation::kDelete:
      return "DELETE";
    case Operation::kConnect:
      return "CONNECT";
  }
  return "";
}

base::Result<bool> WebhookMatches(const json::Value& webhook, const AdmissionRequest& request,
                                  const json::Value& object, const store::Store& store) {
  const auto rules = webhook["rules"].Items();
  const bool ruled = std::any_of(rules.begin(), rules.end(), [&](const json::Value& rule) {
    return RuleMatches(rule, request);
  });
  if (!ruled) return false;
  if (!NamespaceMatches(webhook["namespaceSelector"], request, object, store)) return false;
  const json::Value& selector = webhook["objectSelector"];
  const bool now = SelectorMatches(selector, object["metadata"]["labels"]);
  const bool before = SelectorMatches(selector, request.old_object["metadata"]["labels"]);
  const bool selected = (now && !object.IsNull()) || (before && !request.old_object.IsNull());
  if (!selected) return false;
  return ConditionsMatch(webhook["matchConditions"], request, object);
}

}  // namespace coppice::server
