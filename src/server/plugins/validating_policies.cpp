#include <fmt/format.h>

#include "json/write.h"
#include "kube/object.h"
#include "server/model/errors.h"
#include "server/plugins/plugins.h"
#include "server/plugins/policy_evaluation.h"
#include "server/plugins/policy_params.h"
#include "server/webhooks/shown_request.h"
#include "server/webhooks/webhook_match.h"

namespace coppice::server {
namespace {

constexpr std::string_view kPolicies = "admissionregistration.k8s.io/validatingadmissionpolicies";
constexpr std::string_view kBindings =
    "admissionregistration.k8s.io/validatingadmissionpolicybindings";
constexpr const char* kFailureNote = "validation.policy.admission.k8s.io/validation_failure";

base::ErrorCode CodeFor(std::string_view reason) {
  if (reason == "Unauthorized") return base::ErrorCode::kUnauthorized;
  if (reason == "Forbidden") return base::ErrorCode::kForbidden;
  if (reason == "RequestEntityTooLarge") return base::ErrorCode::kTooLarge;
  return base::ErrorCode::kInvalid;
}

bool HasAction(const json::Value& binding, std::string_view action) {
  for (const json::Value& each : binding["spec"]["validationActions"].Items()) {
    if (each.AsString() == action) return true;
  }
  return false;
}

ServedPtr VersionFor(const json::Value& matcher, const AdmissionRequest& request,
                     const Registry& registry) {
  return MatchedVersion(matcher["resourceRules"], matcher["matchPolicy"].AsString("Equivalent"),
                        request, registry);
}

bool MatcherMatches(const json::Value& matcher, const AdmissionRequest& request,
                    const Registry& registry, const store::Store& store) {
  if (matcher.IsNull()) return true;
  if (!matcher["resourceRules"].empty() && !VersionFor(matcher, request, registry)) return false;
  return !RulesMatch(matcher["excludeResourceRules"], request) &&
         SelectorsMatch(matcher, request, request.object, store);
}

// What all policies say about one request. Every one is asked, since each may leave a note in the
// audit log; the first refusal is the answer.
class Judgement {
 public:
  explicit Judgement(const AdmissionRequest& request) : request_(request) {}

  void Add(const json::Value& policy, const json::Value& binding, const PolicyFinding& finding) {
    const std::string who = fmt::format("ValidatingAdmissionPolicy '{}' with binding '{}'",
                                        kube::Name(policy), kube::Name(binding));
    if (HasAction(binding, "Warn")) {
      request_.Warn(fmt::format("Validation failed for {}: {}", who, finding.message));
    }
    if (HasAction(binding, "Audit")) Note(policy, binding, finding);
    if (!HasAction(binding, "Deny") || !answer_) return;
    const std::string why = fmt::format("{} denied request: {}", who, finding.message);
    answer_ = base::Error(CodeFor(finding.reason),
                          Forbidden(request_.resource, request_.key.name, why).message())
                  .WithCause({"", "", finding.message});
  }

  base::Status Answer() const {
    if (!notes_.empty()) request_.Annotate(kFailureNote, json::Write(notes_));
    return answer_;
  }

 private:
  void Note(const json::Value& policy, const json::Value& binding, const PolicyFinding& finding) {
    notes_.Append(
        json::Value::Object({{"message", finding.message},
                             {"policy", kube::Name(policy)},
                             {"binding", kube::Name(binding)},
                             {"expressionIndex", finding.expression},
                             {"validationActions", binding["spec"]["validationActions"]}}));
  }

  const AdmissionRequest& request_;
  json::Value notes_ = json::Value::Array();
  base::Status answer_;
};

class ValidatingPolicyPlugin final : public AdmissionPlugin {
 public:
  explicit ValidatingPolicyPlugin(Core& core)
      : core_(core), bindings_(core.store().Counter(kBindings)) {}

  const std::string& name() const override { return name_; }
  // Policies never judge themselves: a wrong one could not be repaired.
  bool Handles(const AdmissionRequest& request) const override {
    return bindings_ > 0 && !(request.resource.group == "admissionregistration.k8s.io" &&
                              request.resource.plural.find("admissionpolic") != std::string::npos);
  }

  base::Status Validate(const AdmissionRequest& request) override {
    const auto bindings = core_.store().List(kBindings, {});
    if (!bindings) return {};
    Judgement judgement(request);
    for (const store::VersionPtr& binding : bindings->items) {
      const store::VersionPtr policy =
          core_.store().Get(kPolicies, binding->value()["spec"]["policyName"].AsString());
      if (policy) Judge(request, policy->value(), binding->value(), judgement);
    }
    return judgement.Answer();
  }

 private:
  void Judge(const AdmissionRequest& request, const json::Value& policy, const json::Value& binding,
             Judgement& judgement) {
    const json::Value& spec = policy["spec"];
    if (!spec["matchConstraints"].IsObject()) return;
    const auto registry = core_.registry();
    if (!MatcherMatches(spec["matchConstraints"], request, *registry, core_.store()) ||
        !MatcherMatches(binding["spec"]["matchResources"], request, *registry, core_.store())) {
      return;
    }
    const ServedPtr as = VersionFor(spec["matchConstraints"], request, *registry);
    if (!as) return;
    const ShownRequest shown(request, request.object, *as);
    const auto params = PolicyParams(core_, request, spec, binding["spec"]);
    if (!params) {
      const bool ignore = spec["failurePolicy"].AsString("Fail") == "Ignore";
      if (!ignore) judgement.Add(policy, binding, {params.error().message(), "Invalid"});
      return;
    }
    for (const json::Value& each : *params) {
      const PolicyVerdict verdict =
          EvaluatePolicy(spec, VariablesFor(shown.request, each), expressions_);
      for (const PolicyFinding& finding : verdict.findings) {
        judgement.Add(policy, binding, finding);
      }
      for (const auto& [key, value] : verdict.annotations) {
        request.Annotate(fmt::format("{}/{}", kube::Name(policy), key), value);
      }
    }
  }

  AdmissionVariables VariablesFor(const AdmissionRequest& request,
                                  const json::Value& params) const {
    AdmissionVariables variables(request, request.object, core_.authorizer());
    variables.SetParams(params);
    const store::VersionPtr ns = core_.store().Get("/namespaces", request.key.ns);
    if (ns) variables.SetNamespace(ns->value());
    return variables;
  }

  const std::string name_ = "ValidatingAdmissionPolicy";
  Core& core_;
  const std::atomic<size_t>& bindings_;  // How many there are.
  const Expressions expressions_;
};

}  // namespace

std::shared_ptr<AdmissionPlugin> ValidatingPolicies(Core& core) {
  return std::make_shared<ValidatingPolicyPlugin>(core);
}

}  // namespace coppice::server
