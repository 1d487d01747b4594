#include "server/kinds/checks.h"
#include "server/kinds/expression_checks.h"
#include "server/kinds/kinds.h"

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
    if (spec["validations"].empty() && spec["auditAnnotations"].empty()) {
      causes.push_back(api::RequiredField(
          "spec.validations", "validations or auditAnnotations must contain at least one item"));
    }
    CheckConditions(spec["matchConditions"], "spec.matchConditions", causes);
    CheckExpressions(spec["variables"], "expression", "spec.variables", causes);
    CheckExpressions(spec["validations"], "expression", "spec.validations", causes);
    CheckExpressions(spec["validations"], "messageExpression", "spec.validations", causes);
  }
};

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
    bool deny = false, warn = false;
    for (size_t i = 0; i < spec["validationActions"].size(); ++i) {
      const json::Value& action = spec["validationActions"].At(i);
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
