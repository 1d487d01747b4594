#include "server/plugins/policy_evaluation.h"

#include <fmt/format.h>

#include "server/webhooks/webhook_match.h"

namespace coppice::server {
namespace {

constexpr size_t kMaxAuditBytes = 10 * 1024;

std::string Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

class Evaluation {
 public:
  Evaluation(const json::Value& spec, AdmissionVariables variables, const Expressions& expressions)
      : spec_(spec),
        ignores_failures_(spec["failurePolicy"].AsString("Fail") == "Ignore"),
        variables_(std::move(variables)),
        expressions_(expressions) {}

  PolicyVerdict Run() {
    const base::Result<bool> wanted =
        ConditionsMatch(spec_["matchConditions"], expressions_, variables_.values);
    if (!wanted) Fail(wanted.error().message(), 0);
    if (!wanted || !*wanted) return std::move(verdict_);
    DefineVariables();
    for (size_t i = 0; i < spec_["validations"].size(); ++i) {
      Check(spec_["validations"].At(i), static_cast<int64_t>(i));
    }
    for (const json::Value& annotation : spec_["auditAnnotations"].Items()) Annotate(annotation);
    return std::move(verdict_);
  }

 private:
  // Each may use those before it. One that fails is an error where it is used, and only there.
  void DefineVariables() {
    std::vector<std::pair<cel::Value, cel::Value>> known;
    for (const json::Value& definition : spec_["variables"].Items()) {
      const base::Result<cel::Value> value = Value(definition["expression"].ToString());
      known.emplace_back(definition["name"].ToString(),
                         value ? *value : cel::Value::MakeError(value.error().message()));
      variables_.SetVariables(cel::Value::MakeMap(known));
    }
  }

  void Check(const json::Value& validation, int64_t index) {
    const std::string source = validation["expression"].ToString();
    const base::Result<cel::Value> result = Value(source);
    if (!result) return FailExpression(source, result.error(), index);
    if (result->IsTrue()) return;
    verdict_.findings.push_back({MessageOf(validation), validation["reason"].ToString(), index});
  }

  // An empty string or null is not an annotation.
  void Annotate(const json::Value& annotation) {
    const std::string source = annotation["valueExpression"].ToString();
    const base::Result<cel::Value> result = Value(source);
    if (!result) return FailExpression(source, result.error(), 0);
    const auto* text = result->As<std::string>();
    if (text == nullptr || Trimmed(*text).empty()) return;
    verdict_.annotations.emplace_back(annotation["key"].ToString(),
                                      Trimmed(*text).substr(0, kMaxAuditBytes));
  }

  void FailExpression(std::string_view source, const base::Error& error, int64_t index) {
    Fail(fmt::format("expression '{}' resulted in error: {}", Trimmed(source), error.message()),
         index);
  }

  void Fail(std::string message, int64_t index) {
    if (ignores_failures_) return;
    verdict_.findings.push_back({std::move(message), "Invalid", index});
  }

  base::Result<cel::Value> Value(const std::string& source) {
    COPPICE_ASSIGN(const auto program, expressions_.Get(source));
    return program->EvaluateWithin(variables_.values, budget_);
  }

  std::string MessageOf(const json::Value& validation) {
    if (!validation["messageExpression"].AsString().empty()) {
      const auto text = Value(validation["messageExpression"].ToString());
      const auto* message = text ? text->As<std::string>() : nullptr;
      if (message && !message->empty()) return *message;
    }
    if (!validation["message"].AsString().empty()) return Trimmed(validation["message"].AsString());
    return "failed expression: " + Trimmed(validation["expression"].AsString());
  }

  const json::Value& spec_;
  const bool ignores_failures_;
  AdmissionVariables variables_;
  const Expressions& expressions_;
  size_t budget_ = cel::kRulesBudget;
  PolicyVerdict verdict_;
};

}  // namespace

PolicyVerdict EvaluatePolicy(const json::Value& policy_spec, AdmissionVariables variables,
                             const Expressions& expressions) {
  return Evaluation(policy_spec, std::move(variables), expressions).Run();
}

}  // namespace coppice::server
