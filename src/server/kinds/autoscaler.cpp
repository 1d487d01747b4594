#include <algorithm>

#include "server/kinds/autoscaler_metric.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"

namespace coppice::server {
namespace {

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

json::Value Policy(const char* type, int value) {
  return json::Value::Object({{"type", type}, {"value", value}, {"periodSeconds", 15}});
}

// If one direction is configured, the rest of both gets defaults.
void DefaultBehavior(json::Value& behavior) {
  json::Value& up = behavior.Mutable("scaleUp");
  up.SetDefault("stabilizationWindowSeconds", 0);
  up.SetDefault("selectPolicy", "Max");
  up.SetDefault("policies", json::Value::Array({Policy("Pods", 4), Policy("Percent", 100)}));
  json::Value& down = behavior.Mutable("scaleDown");
  down.SetDefault("selectPolicy", "Max");
  down.SetDefault("policies", json::Value::Array({Policy("Percent", 100)}));
}

class AutoscalerKind : public KindRules {
 public:
  void ValidateStatusUpdate(const RuleContext&, const json::Value& object, const json::Value&,
                            Causes& causes) const override {
    for (const char* field : {"currentReplicas", "desiredReplicas"}) {
      CheckNotNegative(object["status"][field], api::Child("status", field), causes);
    }
  }
  void Default(json::Value& object) const override {
    json::Value& spec = object.Mutable("spec");
    spec.SetDefault("minReplicas", 1);
    if (spec["behavior"].IsObject()) DefaultBehavior(spec.Mutable("behavior"));
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
    CheckScaledReference(spec["scaleTargetRef"], "spec.scaleTargetRef", causes);
    const json::Value& version = spec["scaleTargetRef"]["apiVersion"];
    const bool old_kind = version.AsString() == "v1" &&
                          spec["scaleTargetRef"]["kind"].AsString() == "ReplicationController";
    if (version.AsString().find('/') == std::string_view::npos && !old_kind) {
      causes.push_back(api::InvalidField("spec.scaleTargetRef.apiVersion", version.AsString(),
                                         "apiVersion must specify API group"));
    }
    for (const char* way : {"scaleUp", "scaleDown"}) {
      CheckScaling(spec["behavior"][way], api::Child("spec.behavior", way), causes);
    }
    for (size_t i = 0; i < spec["metrics"].size(); ++i) {
      CheckAutoscalerMetric(spec["metrics"].At(i), api::Index("spec.metrics", i), causes);
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> AutoscalerRules() { return std::make_shared<AutoscalerKind>(); }

}  // namespace coppice::server
