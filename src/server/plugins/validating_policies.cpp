#include <fmt/format.h>

#include "api/selectors/label_selector.h"
#include "kube/object.h"
#include "server/errors.h"
#include "server/plugins/plugins.h"
#include "server/webhooks/webhook_match.h"

namespace coppice::server {
namespace {

constexpr std::string_view kPolicies = "admissionregistration.k8s.io/validatingadmissionpolicies";
constexpr std::string_view kBindings =
    "admissionregistration.k8s.io/validatingadmissionpolicybindings";

// What one expression had against the request.
struct Finding {
  std::string message;
  std::string reason;
};

std::string Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

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

bool MatcherMatches(const json::Value& matcher, const AdmissionRequest& request,
                    const store::Store& store) {
  if (matcher.IsNull()) return true;
  if (!matcher["resourceRules"].empty() && !RulesMatch(matcher["resourceRules"], request)) {
    return false;
  }
  return !RulesMatch(matcher["excludeResourceRules"], request) &&
         SelectorsMatch(matcher, request, request.object, store);
}

class Plugin final : public AdmissionPlugin {
 public:
  explicit Plugin(Core& core) : core_(core) {}

  const std::string& name() const override { return name_; }
  // Policies never judge themselves: a wrong one could not be repaired.
  bool Handles(const AdmissionRequest& request) const override {
    return core_.store().Count(kBindings) > 0 &&
           !(request.resource.group == "admissionregistration.k8s.io" &&
             request.resource.plural.find("admissionpolic") != std::string::npos);
  }

  base::Status Validate(const AdmissionRequest& request) override {
    const auto bindings = core_.store().List(kBindings, {});
    if (!bindings) return {};
    for (const store::VersionPtr& binding : bindings->items) {
      const store::VersionPtr policy =
          core_.store().Get(kPolicies, binding->value()["spec"]["policyName"].AsString());
      if (policy) COPPICE_TRY(Judge(request, policy->value(), binding->value()));
    }
    return {};
  }

 private:
  base::Status Judge(const AdmissionRequest& request, const json::Value& policy,
                     const json::Value& binding) {
    const json::Value& spec = policy["spec"];
    if (!spec["matchConstraints"].IsObject()) return {};
    if (!MatcherMatches(spec["matchConstraints"], request, core_.store()) ||
        !MatcherMatches(binding["spec"]["matchResources"], request, core_.store())) {
      return {};
    }
    const base::Result<std::vector<json::Value>> params = ParamsOf(request, spec, binding["spec"]);
    if (!params) {
      if (spec["failurePolicy"].AsString("Fail") == "Ignore") return {};
      return Report(request, policy, binding, {params.error().message(), "Invalid"});
    }
    for (const json::Value& each : *params) {
      for (const Finding& finding : Evaluate(request, spec, each)) {
        COPPICE_TRY(Report(request, policy, binding, finding));
      }
    }
    return {};
  }

  // One null where the policy takes none; nothing where there are none and that is fine.
  base::Result<std::vector<json::Value>> ParamsOf(const AdmissionRequest& request,
                                                  const json::Value& policy,
                                                  const json::Value& binding) const {
    const json::Value& kind = policy["paramKind"];
    const json::Value& reference = binding["paramRef"];
    if (!kind.IsObject() || !reference.IsObject()) return std::vector<json::Value>{json::Value()};
    const ServedPtr served =
        core_.registry()->FindKind(kind["apiVersion"].AsString(), kind["kind"].AsString());
    if (!served) {
      return base::NotFound(
          fmt::format("failed to configure policy: failed to find resource "
                      "referenced by paramKind: '{}, Kind={}'",
                      kind["apiVersion"].AsString(), kind["kind"].AsString()));
    }
    std::vector<json::Value> params = FindParams(request, *served, reference);
    const bool deny = reference["parameterNotFoundAction"].AsString() == "Deny";
    if (!params.empty() || !deny) return params;
    return base::NotFound(
        "failed to configure binding: no params found for policy binding with `Deny` "
        "parameterNotFoundAction");
  }

  std::vector<json::Value> FindParams(const AdmissionRequest& request, const ServedResource& served,
                                      const json::Value& reference) const {
    std::string ns = reference["namespace"].ToString(request.key.ns);
    if (!served.resource.namespaced) ns.clear();
    std::vector<json::Value> found;
    if (!reference["name"].AsString().empty()) {
      const store::VersionPtr one =
          core_.store().Get(served.storage, served.NameOf(ns, reference["name"].AsString()));
      if (one) found.push_back(one->value());
      return found;
    }
    const auto selector = api::LabelSelector::FromObject(reference["selector"]);
    const auto all = core_.store().List(served.storage, {ns.empty() ? "" : ns + "/"});
    if (!selector || !all) return found;
    for (const store::VersionPtr& each : all->items) {
      if (selector->MatchesObject(each->value())) found.push_back(each->value());
    }
    return found;
  }

  std::vector<Finding> Evaluate(const AdmissionRequest& request, const json::Value& spec,
                                const json::Value& params) const {
    AdmissionVariables variables(request, request.object);
    variables.SetParams(params);
    const store::VersionPtr ns = core_.store().Get("/namespaces", request.key.ns);
    if (ns) variables.SetNamespace(ns->value());
    const bool ignore = spec["failurePolicy"].AsString("Fail") == "Ignore";
    const base::Result<bool> wanted =
        ConditionsMatch(spec["matchConditions"], expressions_, variables.values);
    if (!wanted && !ignore) return {{wanted.error().message(), "Invalid"}};
    if (!wanted || !*wanted) return {};
    SetVariables(spec["variables"], variables);
    std::vector<Finding> findings;
    for (const json::Value& validation : spec["validations"].Items()) {
      const std::string source = validation["expression"].ToString();
      const base::Result<cel::Value> result = Run(source, variables);
      if (!result && !ignore) {
        findings.push_back({fmt::format("expression '{}' resulted in error: {}", Trimmed(source),
                                        result.error().message()),
                            "Invalid"});
      } else if (result && !result->IsTrue()) {
        findings.push_back({MessageOf(validation, variables), validation["reason"].ToString()});
      }
    }
    return findings;
  }

  // Each may use those before it. One that fails is an error where it is used, and only there.
  void SetVariables(const json::Value& definitions, AdmissionVariables& variables) const {
    std::vector<std::pair<cel::Value, cel::Value>> known;
    for (const json::Value& definition : definitions.Items()) {
      const base::Result<cel::Value> value = Run(definition["expression"].ToString(), variables);
      known.emplace_back(definition["name"].ToString(),
                         value ? *value : cel::Value::MakeError(value.error().message()));
      variables.SetVariables(cel::Value::MakeMap(known));
    }
  }

  base::Result<cel::Value> Run(const std::string& source,
                               const AdmissionVariables& variables) const {
    COPPICE_ASSIGN(const auto program, expressions_.Get(source));
    return program->Evaluate(variables.values);
  }

  std::string MessageOf(const json::Value& validation, const AdmissionVariables& variables) const {
    if (!validation["messageExpression"].AsString().empty()) {
      const auto text = Run(validation["messageExpression"].ToString(), variables);
      const auto* message = text ? text->As<std::string>() : nullptr;
      if (message && !message->empty()) return *message;
    }
    if (!validation["message"].AsString().empty()) return Trimmed(validation["message"].AsString());
    return "failed expression: " + Trimmed(validation["expression"].AsString());
  }

  static base::Status Report(const AdmissionRequest& request, const json::Value& policy,
                             const json::Value& binding, const Finding& finding) {
    const std::string who = fmt::format("ValidatingAdmissionPolicy '{}' with binding '{}'",
                                        kube::Name(policy), kube::Name(binding));
    if (HasAction(binding, "Warn")) {
      request.Warn(fmt::format("Validation failed for {}: {}", who, finding.message));
    }
    if (!HasAction(binding, "Deny")) return {};
    const std::string why = fmt::format("{} denied request: {}", who, finding.message);
    return base::Error(CodeFor(finding.reason),
                       Forbidden(request.resource, request.key.name, why).message())
        .WithCause({"", "", finding.message});
  }

  const std::string name_ = "ValidatingAdmissionPolicy";
  Core& core_;
  const Expressions expressions_;
};

}  // namespace

std::shared_ptr<AdmissionPlugin> ValidatingPolicies(Core& core) {
  return std::make_shared<Plugin>(core);
}

}  // namespace coppice::server
