#include <fmt/format.h>

#include <set>

#include "kube/object.h"
#include "server/kinds/admission_rules.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/expression_checks.h"

// ValidatingAdmissionPolicy and its binding.
namespace coppice::server {
namespace {

void DefaultMatcher(json::Value* matcher) {
  if (!matcher || !matcher->IsObject()) return;
  matcher->SetDefault("matchPolicy", "Equivalent");
  matcher->SetDefault("namespaceSelector", json::Value::Object());
  matcher->SetDefault("objectSelector", json::Value::Object());
  for (const char* list : {"resourceRules", "excludeResourceRules"}) {
    json::Value* rules = matcher->FindMutable(list);
    if (!rules || !rules->IsArray()) continue;
    for (json::Value& rule : rules->MutableItems()) rule.SetDefault("scope", "*");
  }
}

constexpr size_t kMaxAnnotations = 20;

// The policy's name goes before each key.
void CheckAnnotations(const json::Value& annotations, std::string_view policy, Causes& causes) {
  const std::string path = "spec.auditAnnotations";
  if (annotations.size() > kMaxAnnotations) {
    causes.push_back(
        api::TooManyField(path, static_cast<int64_t>(annotations.size()), kMaxAnnotations));
  }
  CheckExpressions(annotations, "valueExpression", path, causes);
  std::set<std::string> keys;
  for (size_t i = 0; i < annotations.size(); ++i) {
    const json::Value& key = annotations.At(i)["key"];
    const std::string place = api::Child(api::Index(path, i), "key");
    if (key.AsString().empty()) {
      causes.push_back(api::RequiredField(place));
      continue;
    }
    const std::string whole = fmt::format("{}/{}", policy, key.AsString());
    CheckProblems(whole, api::LabelKeyProblems(whole), place, causes);
    if (!keys.insert(key.ToString()).second) causes.push_back(api::DuplicateField(place, key));
  }
}

class PolicyKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }

  void Default(json::Value& policy) const override {
    json::Value& spec = policy.Mutable("spec");
    spec.SetDefault("failurePolicy", "Fail");
    DefaultMatcher(spec.FindMutable("matchConstraints"));
  }

  void Validate(const RuleContext&, const json::Value& policy, Causes& causes) const override {
    const json::Value& spec = policy["spec"];
    CheckOneOf(spec["failurePolicy"], {"Fail", "Ignore"}, "spec.failurePolicy", causes);
    if (!spec["matchConstraints"].IsObject()) {
      causes.push_back(api::RequiredField("spec.matchConstraints"));
    } else if (spec["matchConstraints"]["resourceRules"].empty()) {
      causes.push_back(api::RequiredField("spec.matchConstraints.resourceRules"));
    }
    for (const char* list : {"resourceRules", "excludeResourceRules"}) {
      CheckAdmissionRules(spec["matchConstraints"][list], api::Child("spec.matchConstraints", list),
                          causes);
    }
    if (spec["validations"].empty() && spec["auditAnnotations"].empty()) {
      causes.push_back(api::RequiredField(
          "spec.validations", "validations or auditAnnotations must contain at least one item"));
    }
    CheckConditions(spec["matchConditions"], "spec.matchConditions", causes);
    CheckExpressions(spec["variables"], "expression", "spec.variables", causes);
    CheckExpressions(spec["validations"], "expression", "spec.validations", causes);
    CheckExpressions(spec["validations"], "messageExpression", "spec.validations", causes);
    CheckAnnotations(spec["auditAnnotations"], kube::Name(policy), causes);
  }
};

void CheckParamRef(const json::Value& reference, Causes& causes) {
  if (!reference.IsObject()) return;
  const std::string path = "spec.paramRef";
  const bool named = !reference["name"].AsString().empty(), selected = reference.Has("selector");
  if (!named && !selected) {
    causes.push_back(api::RequiredField(path, "one of name or selector must be specified"));
  }
  for (const char* field : {"name", "selector"}) {
    if (!named || !selected) continue;
    causes.push_back(
        api::ForbiddenField(api::Child(path, field), "name and selector are mutually exclusive"));
  }
  const json::Value& action = reference["parameterNotFoundAction"];
  const std::string place = api::Child(path, "parameterNotFoundAction");
  if (action.AsString().empty()) causes.push_back(api::RequiredField(place));
  if (!action.AsString().empty()) CheckOneOf(action, {"Deny", "Allow"}, place, causes);
}

class BindingKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }

  void Default(json::Value& binding) const override {
    DefaultMatcher(binding.Mutable("spec").FindMutable("matchResources"));
  }

  void Validate(const RuleContext&, const json::Value& binding, Causes& causes) const override {
    const json::Value& spec = binding["spec"];
    if (spec["policyName"].AsString().empty()) {
      causes.push_back(api::RequiredField("spec.policyName"));
    }
    if (spec["validationActions"].empty()) {
      causes.push_back(api::RequiredField("spec.validationActions",
                                          "at least one validation action is required"));
    }
    CheckParamRef(spec["paramRef"], causes);
    bool deny = false, warn = false;
    std::set<std::string> seen;
    for (size_t i = 0; i < spec["validationActions"].size(); ++i) {
      const json::Value& action = spec["validationActions"].At(i);
      if (!seen.insert(action.ToString()).second) {
        causes.push_back(api::DuplicateField(api::Index("spec.validationActions", i), action));
      }
      CheckOneOf(action, {"Audit", "Deny", "Warn"}, api::Index("spec.validationActions", i),
                 causes);
      deny |= action.AsString() == "Deny";
      warn |= action.AsString() == "Warn";
    }
    if (deny && warn) {
      causes.push_back(api::InvalidField("spec.validationActions", spec["validationActions"],
                                         "must not contain both Deny and Warn (repeating the same "
                                         "validation failure information in the API response and "
                                         "headers serves no purpose)"));
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> ValidatingPolicyRules() { return std::make_shared<PolicyKind>(); }
std::shared_ptr<const KindRules> PolicyBindingRules() { return std::make_shared<BindingKind>(); }

}  // namespace coppice::server
