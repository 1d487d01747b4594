#include "server/kinds/checks.h"
#include "server/kinds/kinds.h"

// PodDisruptionBudget and HorizontalPodAutoscaler.
namespace coppice::server {
namespace {

class BudgetKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }
  bool AllowsUnconditionalUpdate() const override { return false; }

  void Validate(const RuleContext&, const json::Value& budget, Causes& causes) const override {
    const json::Value& spec = budget["spec"];
    if (spec.Has("minAvailable") && spec.Has("maxUnavailable")) {
      causes.push_back(
          api::InvalidField("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
    }
    for (const char* field : {"minAvailable", "maxUnavailable"}) {
      if (spec[field].IsInt()) CheckNotNegative(spec[field], api::Child("spec", field), causes);
    }
  }
};

class AutoscalerKind : public KindRules {
 public:
  void Default(json::Value& object) const override {
    json::Value& spec = object.Mutable("spec");
    spec.SetDefault("minReplicas", 1);
    if (!spec["metrics"].empty()) return;
    const json::Value target =
        json::Value::Object({{"type", "Utilization"}, {"averageUtilization", 80}});
    spec.Set("metrics",
             json::Value::Array({json::Value::Object(
                 {{"type", "Resource"},
                  {"resource", json::Value::Object({{"name", "cpu"}, {"target", target}})}})}));
  }
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& spec = object["spec"];
    if (spec["maxReplicas"].AsInt() < 1) {
      causes.push_back(api::InvalidField("spec.maxReplicas", spec["maxReplicas"].AsInt(),
                                         "must be greater than 0"));
    }
    if (spec["minReplicas"].AsInt() < 1) {
      causes.push_back(api::InvalidField("spec.minReplicas", spec["minReplicas"].AsInt(),
                                         "must be greater than or equal to 1"));
    }
    if (spec["maxReplicas"].AsInt() < spec["minReplicas"].AsInt()) {
      causes.push_back(api::InvalidField("spec.maxReplicas", spec["maxReplicas"].AsInt(),
                                         "must be greater than or equal to `minReplicas`"));
    }
    for (const char* field : {"kind", "name"}) {
      if (!spec["scaleTargetRef"][field].AsString().empty()) continue;
      causes.push_back(api::RequiredField(api::Child("spec.scaleTargetRef", field)));
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> BudgetRules() { return std::make_shared<BudgetKind>(); }
std::shared_ptr<const KindRules> AutoscalerRules() { return std::make_shared<AutoscalerKind>(); }

}  // namespace coppice::server
