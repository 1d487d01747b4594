#include "server/model/autoscaler_versions.h"

#include <fmt/format.h>

#include "json/parse.h"
#include "json/write.h"
#include "server/model/autoscaler_metrics.h"

namespace coppice::server {
namespace {

using json::Value;

constexpr const char* kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr const char* kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr const char* kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr const char* kBehavior = "autoscaling.alpha.kubernetes.io/behavior";

// What v1 has a field for.
const Value* CpuUtilization(const Value& metric, const char* kind) {
  const Value& resource = metric["resource"];
  const bool cpu = metric["type"].AsString() == "Resource" && resource["name"].AsString() == "cpu";
  return cpu ? resource[kind].Find("averageUtilization") : nullptr;
}

Value CpuMetric(const Value& utilization, const char* kind) {
  Value numbers = Value::Object({{"averageUtilization", utilization}});
  if (std::string_view(kind) == "target") numbers.Set("type", "Utilization");
  return Value::Object(
      {{"type", "Resource"},
       {"resource", Value::Object({{"name", "cpu"}, {kind, std::move(numbers)}})}});
}

// Takes the member out; null when there is none.
Value Take(const char* name, Value& object) {
  const Value* found = object.Find(name);
  Value taken = found ? *found : Value();
  object.Erase(name);
  return taken;
}

// Written without tags: the names begin with capitals, and nothing is left out.
std::string ScalingText(const Value& rules) {
  if (!rules.IsObject()) return "null";
  const auto given = [&](const char* name) {
    return rules.Has(name) ? json::Write(rules[name]) : std::string("null");
  };
  std::vector<std::string> policies;
  for (const Value& policy : rules["policies"].Items()) {
    policies.push_back(OrderedObject()
                           .Add("Type", policy["type"])
                           .Add("Value", policy["value"])
                           .Add("PeriodSeconds", policy["periodSeconds"])
                           .Text());
  }
  return OrderedObject()
      .AddText("StabilizationWindowSeconds", given("stabilizationWindowSeconds"))
      .AddText("SelectPolicy", given("selectPolicy"))
      .AddText("Policies", fmt::format("[{}]", fmt::join(policies, ",")))
      .AddText("Tolerance", given("tolerance"))
      .Text();
}

std::string BehaviorText(const Value& behavior) {
  return OrderedObject()
      .AddText("ScaleUp", ScalingText(behavior["scaleUp"]))
      .AddText("ScaleDown", ScalingText(behavior["scaleDown"]))
      .Text();
}

// The same with the names of the API.
Value Uncapitalised(const Value& value) {
  if (value.IsArray()) {
    Value items = Value::Array();
    for (const Value& item : value.Items()) items.Append(Uncapitalised(item));
    return items;
  }
  if (!value.IsObject()) return value;
  Value object = Value::Object();
  for (const json::Member& member : value.Members()) {
    if (member.value.IsNull()) continue;
    std::string name(member.name());
    if (!name.empty()) name[0] = static_cast<char>(std::tolower(name[0]));
    object.Set(name, Uncapitalised(member.value));
  }
  return object;
}

std::string ConditionsText(const Value& conditions) {
  std::vector<std::string> texts;
  for (const Value& condition : conditions.Items()) {
    OrderedObject out;
    for (const char* name : {"type", "status", "lastTransitionTime", "reason", "message"}) {
      out.Add(name, condition[name]);
    }
    texts.push_back(out.Text());
  }
  return fmt::format("[{}]", fmt::join(texts, ","));
}

void SpecToV1(Value& spec, Value& annotations) {
  const Value metrics = Take("metrics", spec);
  Value others = Value::Array();
  bool found = false;
  for (const Value& metric : metrics.Items()) {
    const Value* cpu = CpuUtilization(metric, "target");
    if (!cpu) {
      others.Append(metric);
    } else if (!std::exchange(found, true)) {
      spec.Set("targetCPUUtilizationPercentage", *cpu);
    }
  }
  if (!others.empty()) annotations.Set(kMetrics, MetricsToV1(others, "target"));
  const Value behavior = Take("behavior", spec);
  if (behavior.IsObject()) annotations.Set(kBehavior, BehaviorText(behavior));
}

void StatusToV1(Value& status, Value& annotations) {
  const Value metrics = Take("currentMetrics", status);
  for (const Value& metric : metrics.Items()) {
    const Value* cpu = CpuUtilization(metric, "current");
    if (cpu) status.Set("currentCPUUtilizationPercentage", *cpu);
  }
  if (!metrics.empty()) annotations.Set(kCurrentMetrics, MetricsToV1(metrics, "current"));
  const Value conditions = Take("conditions", status);
  if (!conditions.empty()) annotations.Set(kConditions, ConditionsText(conditions));
  status.SetDefault("currentReplicas", 0);
  status.SetDefault("desiredReplicas", 0);
}

void SpecToV2(const Value& metrics, const Value& behavior, Value& spec) {
  const Value cpu = Take("targetCPUUtilizationPercentage", spec);
  Value all = MetricsToV2(metrics.AsString(), "target");
  if (!cpu.IsNull()) {
    if (!all.IsArray()) all = Value::Array();
    all.Append(CpuMetric(cpu, "target"));
  }
  if (all.IsArray()) spec.Set("metrics", std::move(all));
  const auto parsed = json::Parse(behavior.AsString());
  if (parsed && parsed->IsObject()) spec.Set("behavior", Uncapitalised(*parsed));
}

void StatusToV2(const Value& metrics, const Value& conditions, Value& status) {
  const Value cpu = Take("currentCPUUtilizationPercentage", status);
  Value current = MetricsToV2(metrics.AsString(), "current");
  if (current.IsNull() && !cpu.IsNull()) current = Value::Array({CpuMetric(cpu, "current")});
  status.Set("currentMetrics", std::move(current));
  const auto parsed = json::Parse(conditions.AsString());
  if (parsed && parsed->IsArray()) status.Set("conditions", *parsed);
  if (status["currentReplicas"].AsInt() == 0) status.Erase("currentReplicas");
}

void SetAnnotations(Value annotations, Value& object) {
  if (annotations.empty()) {
    if (json::Value* metadata = object.FindMutable("metadata")) metadata->Erase("annotations");
  } else {
    object.Mutable("metadata").Set("annotations", std::move(annotations));
  }
}

Value AnnotationsOf(const Value& object) {
  const Value& found = object["metadata"]["annotations"];
  return found.IsObject() ? found : Value::Object();
}

}  // namespace

Value AutoscalerToV1(Value autoscaler) {
  Value annotations = AnnotationsOf(autoscaler);
  if (Value* spec = autoscaler.FindMutable("spec")) SpecToV1(*spec, annotations);
  if (Value* status = autoscaler.FindMutable("status")) StatusToV1(*status, annotations);
  SetAnnotations(std::move(annotations), autoscaler);
  return autoscaler;
}

Value AutoscalerToV2(Value autoscaler) {
  Value annotations = AnnotationsOf(autoscaler);
  const Value metrics = Take(kMetrics, annotations);
  const Value behavior = Take(kBehavior, annotations);
  const Value current = Take(kCurrentMetrics, annotations);
  const Value conditions = Take(kConditions, annotations);
  SetAnnotations(std::move(annotations), autoscaler);
  if (Value* spec = autoscaler.FindMutable("spec")) SpecToV2(metrics, behavior, *spec);
  if (Value* status = autoscaler.FindMutable("status")) StatusToV2(current, conditions, *status);
  return autoscaler;
}

}  // namespace coppice::server
