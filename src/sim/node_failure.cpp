#include "sim/node_failure.h"

#include <algorithm>

#include "kube/object.h"

namespace coppice::sim {
namespace {

using json::Value;

constexpr std::string_view kFailAnnotation = "sim.coppice.dev/fail";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

bool HasTaint(const Value& node) {
  for (const Value& taint : node["spec"]["taints"].Items()) {
    if (taint["key"].AsString() == kUnreachable) return true;
  }
  return false;
}

// The conditions with Ready replaced.
Value WithReady(const Value& conditions, bool ready, base::Time now) {
  Value list = conditions;
  Value condition =
      Value::Object({{"type", "Ready"},
                     {"status", ready ? "True" : "Unknown"},
                     {"reason", ready ? "KubeletReady" : "NodeStatusUnknown"},
                     {"message", ready ? "simulated node is ready" : "simulated node has failed"},
                     {"lastTransitionTime", base::FormatRfc3339(now)}});
  for (Value& item : list.MutableItems()) {
    if (item["type"].AsString() != "Ready") continue;
    item = std::move(condition);
    return list;
  }
  return list.Append(std::move(condition));
}

Value WithoutTaint(const Value& taints) {
  Value kept = Value::Array();
  for (const Value& taint : taints.Items()) {
    if (taint["key"].AsString() != kUnreachable) kept.Append(taint);
  }
  return kept;
}

bool Tolerates(const Value& toleration) {
  const std::string_view key = toleration["key"].AsString();
  const std::string_view effect = toleration["effect"].AsString();
  return (key == kUnreachable || key.empty()) && (effect.empty() || effect == "NoExecute");
}

}  // namespace

bool IsFailed(const Value& node) { return kube::Annotation(node, kFailAnnotation) == "true"; }

NodeUpdate DesiredHealth(const Value& node, base::Time now) {
  NodeUpdate update;
  const bool failed = IsFailed(node);
  const bool shown_ready = kube::ConditionIs(node, "Ready", "True");
  const Value& version = node["metadata"]["resourceVersion"];
  const auto patch = [&](std::string_view part, std::string_view key, Value value) {
    Value body = Value::Object({{key, std::move(value)}});
    return Value::Object(
        {{"metadata", Value::Object({{"resourceVersion", version}})}, {part, std::move(body)}});
  };
  // One write at a time: the second follows when the first comes back through the watch.
  if (failed == shown_ready) {
    update.status_patch =
        patch("status", "conditions", WithReady(node["status"]["conditions"], !failed, now));
  } else if (failed && !HasTaint(node)) {
    Value taints = node["spec"]["taints"];
    taints.Append(Value::Object(
        {{"key", kUnreachable}, {"effect", "NoExecute"}, {"timeAdded", base::FormatRfc3339(now)}}));
    update.spec_patch = patch("spec", "taints", std::move(taints));
  } else if (!failed && HasTaint(node)) {
    update.spec_patch = patch("spec", "taints", WithoutTaint(node["spec"]["taints"]));
  }
  return update;
}

DeadNodePod PodOnDeadNode(const Value& pod, const Value& node, base::Time now) {
  DeadNodePod out;
  if (kube::ConditionIs(pod, "Ready", "True")) {
    Value status = pod["status"];
    for (Value& condition : status.Mutable("conditions").MutableItems()) {
      if (condition["type"].AsString() != "Ready") continue;
      condition.Set("status", "False").Set("reason", "NodeNotReady");
      condition.Set("lastTransitionTime", base::FormatRfc3339(now));
    }
    out.status = std::move(status);
  }
  const base::Time since =
      base::ParseRfc3339(kube::Condition(node, "Ready")["lastTransitionTime"].AsString())
          .value_or(now);
  base::Duration tolerated = base::Duration::zero();
  for (const Value& toleration : pod["spec"]["tolerations"].Items()) {
    if (!Tolerates(toleration)) continue;
    if (!toleration.Has("tolerationSeconds")) return out;  // For ever.
    tolerated = std::chrono::seconds(toleration["tolerationSeconds"].AsInt());
  }
  out.evict_after = std::max(base::Duration::zero(), since + tolerated - now);
  return out;
}

}  // namespace coppice::sim
