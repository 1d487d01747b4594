#include "server/kinds/checks/selectors.h"

#include "server/kinds/checks/checks.h"

namespace coppice::server {
namespace {

using api::Child;
using api::Index;

// Whether the operator takes as many values as there are; `numbers` are Gt and Lt, of nodes alone.
void CheckOperator(const json::Value& expression, bool numbers, const std::string& path,
                   Causes& causes) {
  const std::string_view op = expression["operator"].AsString();
  const size_t values = expression["values"].size();
  if (op == "In" || op == "NotIn") {
    if (values > 0) return;
    causes.push_back(api::RequiredField(Child(path, "values"),
                                        "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (values == 0) return;
    causes.push_back(
        api::ForbiddenField(Child(path, "values"),
                            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (numbers && (op == "Gt" || op == "Lt")) {
    if (values == 1) return;
    causes.push_back(api::RequiredField(
        Child(path, "values"), "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else {
    causes.push_back(api::InvalidField(Child(path, "operator"), expression["operator"].AsString(),
                                       "not a valid selector operator"));
  }
}

void CheckExpression(const json::Value& expression, bool numbers, const std::string& path,
                     Causes& causes) {
  CheckOperator(expression, numbers, path, causes);
  const json::Value key = expression["key"].AsString();
  CheckProblems(key, api::LabelKeyProblems(key.AsString()), Child(path, "key"), causes);
  for (size_t v = 0; v < expression["values"].size(); ++v) {
    const json::Value& value = expression["values"].At(v);
    CheckProblems(value, api::LabelValueProblems(value.AsString()), Index(Child(path, "values"), v),
                  causes);
  }
}

void CheckFieldExpression(const json::Value& expression, const std::string& path, Causes& causes) {
  const std::string_view op = expression["operator"].AsString();
  if (op != "In" && op != "NotIn") {
    causes.push_back(api::InvalidField(Child(path, "operator"), expression["operator"].AsString(),
                                       "not a valid selector operator"));
  } else if (expression["values"].size() != 1) {
    causes.push_back(api::RequiredField(
        Child(path, "values"),
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  if (expression["key"].AsString() != "metadata.name") {
    causes.push_back(api::InvalidField(Child(path, "key"), expression["key"].AsString(),
                                       "not a valid field selector key"));
    return;
  }
  for (size_t v = 0; v < expression["values"].size(); ++v) {
    const json::Value& name = expression["values"].At(v);
    CheckProblems(name, api::Dns1123SubdomainProblems(name.AsString()),
                  Index(Child(path, "values"), v), causes);
  }
}

}  // namespace

void CheckLabels(const json::Value& labels, const std::string& path, Causes& causes) {
  for (const json::Member& label : labels.Members()) {
    CheckProblems(label.key, api::LabelKeyProblems(label.name()), path, causes);
    CheckProblems(label.value, api::LabelValueProblems(label.value.AsString()), path, causes);
  }
}

void CheckLabelSelector(const json::Value& selector, const std::string& path, Causes& causes) {
  if (!selector.IsObject()) return;
  CheckLabels(selector["matchLabels"], Child(path, "matchLabels"), causes);
  const json::Value& expressions = selector["matchExpressions"];
  for (size_t i = 0; i < expressions.size(); ++i) {
    CheckExpression(expressions.At(i), false, Index(Child(path, "matchExpressions"), i), causes);
  }
}

void CheckNodeSelectorTerm(const json::Value& term, const std::string& path, Causes& causes) {
  const json::Value& expressions = term["matchExpressions"];
  for (size_t i = 0; i < expressions.size(); ++i) {
    CheckExpression(expressions.At(i), true, Index(Child(path, "matchExpressions"), i), causes);
  }
  const json::Value& fields = term["matchFields"];
  for (size_t i = 0; i < fields.size(); ++i) {
    CheckFieldExpression(fields.At(i), Index(Child(path, "matchFields"), i), causes);
  }
}

void CheckNodeSelector(const json::Value& selector, const std::string& path, Causes& causes) {
  const json::Value& terms = selector["nodeSelectorTerms"];
  const std::string place = Child(path, "nodeSelectorTerms");
  if (terms.empty()) {
    causes.push_back(api::RequiredField(place, "must have at least one node selector term"));
  }
  for (size_t i = 0; i < terms.size(); ++i) {
    CheckNodeSelectorTerm(terms.At(i), Index(place, i), causes);
  }
}

}  // namespace coppice::server
