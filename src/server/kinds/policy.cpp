#include <charconv>

#include "server/kinds/checks.h"
#include "server/kinds/kinds.h"

// PodDisruptionBudget and HorizontalPodAutoscaler.
namespace coppice::server {
namespace {

// "25%"
void CheckShare(const json::Value& share, const std::string& path, Causes& causes) {
  const std::string_view text = share.AsString();
  int percent = -1;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), percent).ptr;
  if (percent < 0 || std::string_view(end, text.data() + text.size() - end) != "%") {
    causes.push_back(api::InvalidField(
        path, share,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
        "'93%', regex used for validation is '[0-9]+%')"));
  } else if (percent > 100) {
    causes.push_back(api::InvalidField(path, share, "must not be greater than 100%"));
  }
}

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
      if (spec[field].IsString()) CheckShare(spec[field], api::Child("spec", field), causes);
    }
    if (spec.Has("unhealthyPodEvictionPolicy")) {
      CheckOneOf(spec["unhealthyPodEvictionPolicy"], {"AlwaysAllow", "IfHealthyBudget"},
                 "spec.unhealthyPodEvictionPolicy", causes);
    }
  }
};

void CheckMetric(const json::Value& metric, const std::string& path, Causes& causes) {
  if (metric["type"].AsString() != "Resource") return;
  const json::Value& target = metric["resource"]["target"];
  if (target.Has("averageUtilization") || target.Has("averageValue")) return;
  causes.push_back(api::RequiredField(api::Child(path, "resource.target.averageUtilization"),
                                      "must set either a target raw value or a target "
                                      "utilization"));
}

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
    for (size_t i = 0; i < spec["metrics"].size(); ++i) {
      CheckMetric(spec["metrics"].At(i), api::Index("spec.metrics", i), causes);
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> BudgetRules() { return std::make_shared<BudgetKind>(); }
std::shared_ptr<const KindRules> AutoscalerRules() { return std::make_shared<AutoscalerKind>(); }

}  // namespace coppice::server
