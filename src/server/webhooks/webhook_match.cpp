#include "server/webhooks/webhook_match.h"

#include <algorithm>

#include "api/selectors/label_selector.h"

namespace coppice::server {
namespace {

bool ListsOrAll(const json::Value& list, std::string_view wanted) {
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
  return ListsOrAll(rule["operations"], OperationName(request.operation)) &&
         ListsOrAll(rule["apiGroups"], request.resource.group) &&
         ListsOrAll(rule["apiVersions"], request.resource.version) &&
         ListsResource(rule["resources"], request);
}

bool NameMatches(const json::Value& names, const AdmissionRequest& request) {
  const auto items = names.Items();
  return items.empty() || std::any_of(items.begin(), items.end(), [&](const json::Value& name) {
           return name.AsString() == request.key.name;
         });
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

bool RulesMatch(const json::Value& rules, const AdmissionRequest& request) {
  const auto items = rules.Items();
  return std::any_of(items.begin(), items.end(), [&](const json::Value& rule) {
    return RuleMatches(rule, request) && NameMatches(rule["resourceNames"], request);
  });
}

bool SelectorsMatch(const json::Value& matcher, const AdmissionRequest& request,
                    const json::Value& object, const store::Store& store) {
  if (!NamespaceMatches(matcher["namespaceSelector"], request, object, store)) return false;
  const json::Value& selector = matcher["objectSelector"];
  const bool now = SelectorMatches(selector, object["metadata"]["labels"]);
  const bool before = SelectorMatches(selector, request.old_object["metadata"]["labels"]);
  return (now && !object.IsNull()) || (before && !request.old_object.IsNull());
}

base::Result<bool> ConditionsMatch(const json::Value& conditions, const Expressions& expressions,
                                   std::span<const cel::Value> variables) {
  base::Result<bool> verdict = true;
  size_t budget = cel::kMatchConditionsBudget;
  for (const json::Value& condition : conditions.Items()) {
    COPPICE_ASSIGN(const auto program, expressions.Get(condition["expression"].ToString()));
    const base::Result<cel::Value> result = program->EvaluateWithin(variables, budget);
    if (result && !result->IsTrue()) return false;
    if (!result && verdict) verdict = result.error();
  }
  return verdict;
}

base::Result<bool> WebhookSelects(const json::Value& webhook, const AdmissionRequest& request,
                                  const json::Value& object, const store::Store& store,
                                  const Expressions& expressions, Authorizer& authorizer) {
  if (!SelectorsMatch(webhook, request, object, store)) return false;
  if (webhook["matchConditions"].empty()) return true;
  return ConditionsMatch(webhook["matchConditions"], expressions,
                         AdmissionVariables(request, object, authorizer).values);
}

}  // namespace coppice::server
