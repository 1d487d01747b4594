#include <algorithm>

#include "server/kinds/checks.h"
#include "server/kinds/kinds.h"
#include "server/kinds/selectors.h"

// PodDisruptionBudget and HorizontalPodAutoscaler.
namespace coppice::server {
namespace {

void CheckCounts(const json::Value& status, std::initializer_list<const char*> fields,
                 Causes& causes) {
  for (const char* field : fields) {
    CheckNotNegative(status[field], api::Child("status", field), causes);
  }
}

class BudgetKind : public KindRules {
 public:
  void ValidateStatusUpdate(const RuleContext&, const json::Value& budget, const json::Value&,
                            Causes& causes) const override {
    CheckCounts(budget["status"],
                {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}, causes);
  }
  bool HasGeneration() const override { return true; }
  bool AllowsUnconditionalUpdate() const override { return false; }

  void Validate(const RuleContext&, const json::Value& budget, Causes& causes) const override {
    const json::Value& spec = budget["spec"];
    if (spec.Has("minAvailable") && spec.Has("maxUnavailable")) {
      causes.push_back(
          api::InvalidField("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
    }
    for (const char* field : {"minAvailable", "maxUnavailable"}) {
      CheckShare(spec[field], api::Child("spec", field), causes);
    }
    CheckLabelSelector(spec["selector"], "spec.selector", causes);
    if (spec.Has("unhealthyPodEvictionPolicy")) {
      CheckOneOf(spec["unhealthyPodEvictionPolicy"], {"AlwaysAllow", "IfHealthyBudget"},
                 "spec.unhealthyPodEvictionPolicy", causes);
    }
  }
};

void CheckMetric(const json::Value& metric, const std::string& path, Causes& causes) {
  const std::string_view type = metric["type"].AsString();
  CheckOneOf(metric["type"], {"ContainerResource", "External", "Object", "Pods", "Resource"},
             api::Child(path, "type"), causes);
  if (type != "Resource") return;
  if (!metric["resource"].IsObject()) {
    causes.push_back(api::RequiredField(api::Child(path, "resource"),
                                        "must populate information for the given metric source"));
    return;
  }
  const json::Value& target = metric["resource"]["target"];
  if (target.Has("averageUtilization") || target.Has("averageValue")) return;
  causes.push_back(api::RequiredField(api::Child(path, "resource.target.averageUtilization"),
                                      "must set either a target raw value or a target "
                                      "utilization"));
}

// By something that can be measured while no pod runs.
bool ScalesFromOutside(const json::Value& metrics) {
  const auto items = metrics.Items();
  return std::ranges::any_of(items, [](const json::Value& metric) {
    return metric["type"].AsString() == "Object" || metric["type"].AsString() == "External";
  });
}

void CheckScaling(const json::Value& rules, const std::string& path, Causes& causes) {
  constexpr int64_t kLongestWindow = 3600;
  const json::Value& window = rules["stabilizationWindowSeconds"];
  CheckNotNegative(window, api::Child(path, "stabilizationWindowSeconds"), causes);
  if (window.AsInt() > kLongestWindow) {
    causes.push_back(api::InvalidField(api::Child(path, "stabilizationWindowSeconds"), window,
                                       "must be less than or equal to 3600"));
  }
  if (rules.Has("selectPolicy")) {
    CheckOneOf(rules["selectPolicy"], {"Disabled", "Max", "Min"}, api::Child(path, "selectPolicy"),
               causes);
  }
  const json::Value& policies = rules["policies"];
  for (size_t i = 0; i < policies.size(); ++i) {
    const std::string place = api::Index(api::Child(path, "policies"), i);
    CheckOneOf(policies.At(i)["type"], {"Percent", "Pods"}, api::Child(place, "type"), causes);
    for (const char* field : {"value", "periodSeconds"}) {
      if (policies.At(i)[field].AsInt() > 0) continue;
      causes.push_back(api::InvalidField(api::Child(place, field), policies.At(i)[field].AsInt(),
                                         "must be greater than zero"));
    }
  }
}

class AutoscalerKind : public KindRules {
 public:
  void ValidateStatusUpdate(const RuleContext&, const json::Value& object, const json::Value&,
                            Causes& causes) const override {
    CheckCounts(object["status"], {"currentReplicas", "desiredReplicas"}, causes);
  }
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
  void Validate(const RuleContext& context, const json::Value& object,
                Causes& causes) const override {
    const json::Value& spec = object["spec"];
    if (spec["maxReplicas"].AsInt() == 0 && context.kubernetes_version != "1.35") {
      causes.push_back(api::RequiredField("spec.maxReplicas", "must be set and greater than 0"));
    } else if (spec["maxReplicas"].AsInt() < 1) {
      causes.push_back(api::InvalidField("spec.maxReplicas", spec["maxReplicas"].AsInt(),
                                         "must be greater than 0"));
    }
    if (spec["minReplicas"].AsInt() < 1) {
      causes.push_back(api::InvalidField("spec.minReplicas", spec["minReplicas"].AsInt(),
                                         "must be greater than or equal to 1"));
      if (!ScalesFromOutside(spec["metrics"])) {
        causes.push_back(api::ForbiddenField("spec.metrics",
                                             "must specify at least one Object or External metric "
                                             "to support scaling to zero replicas"));
      }
    }
    if (spec["maxReplicas"].AsInt() < spec["minReplicas"].AsInt()) {
      causes.push_back(api::InvalidField("spec.maxReplicas", spec["maxReplicas"].AsInt(),
                                         "must be greater than or equal to `minReplicas`"));
    }
    for (const char* field : {"kind", "name"}) {
      if (!spec["scaleTargetRef"][field].AsString().empty()) continue;
      causes.push_back(api::RequiredField(api::Child("spec.scaleTargetRef", field)));
    }
    const json::Value& version = spec["scaleTargetRef"]["apiVersion"];
    if (version.AsString().empty()) {
      causes.push_back(api::InvalidField("spec.scaleTargetRef.apiVersion", "",
                                         "apiVersion must specify API group"));
    }
    for (const char* way : {"scaleUp", "scaleDown"}) {
      CheckScaling(spec["behavior"][way], api::Child("spec.behavior", way), causes);
    }
    for (size_t i = 0; i < spec["metrics"].size(); ++i) {
      CheckMetric(spec["metrics"].At(i), api::Index("spec.metrics", i), causes);
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> BudgetRules() { return std::make_shared<BudgetKind>(); }
std::shared_ptr<const KindRules> AutoscalerRules() { return std::make_shared<AutoscalerKind>(); }

}  // namespace coppice::server
