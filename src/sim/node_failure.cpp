#include "sim/node_failure.h"

#include <algorithm>

#include "api/edit/core.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "kube/object.h"

namespace coppice::sim {
namespace {

using json::Value;
using view::core::Node;

constexpr std::string_view kFailAnnotation = api::labels::kSimulatedFailure;
using api::labels::kUnreachable;

bool HasTaint(Node node) {
  for (const view::core::Taint taint : node.spec().taints()) {
    if (taint.key() == kUnreachable) return true;
  }
  return false;
}

// The conditions with Ready replaced.
Value WithReady(const Value& conditions, bool ready, base::Time now) {
  Value list = conditions;
  Value condition = Value::Object();
  edit::core::NodeCondition(condition)
      .set_type("Ready")
      .set_status(ready ? "True" : "Unknown")
      .set_reason(ready ? "KubeletReady" : "NodeStatusUnknown")
      .set_message(ready ? "simulated node is ready" : "simulated node has failed")
      .set_lastTransitionTime(base::FormatRfc3339(now));
  for (Value& item : list.MutableItems()) {
    if (view::core::NodeCondition(item).type() != "Ready") continue;
    item = std::move(condition);
    return list;
  }
  return list.Append(std::move(condition));
}

Value WithTaint(view::List<view::core::Taint> taints, base::Time now) {
  Value more = taints.Json();
  edit::List<edit::core::Taint>(more)
      .Add()
      .set_key(kUnreachable)
      .set_effect("NoExecute")
      .set_timeAdded(base::FormatRfc3339(now));
  return more;
}

Value WithoutTaint(view::List<view::core::Taint> taints) {
  Value kept = Value::Array();
  for (const view::core::Taint taint : taints) {
    if (taint.key() != kUnreachable) kept.Append(taint.Json());
  }
  return kept;
}

bool Tolerates(view::core::Toleration toleration) {
  const std::string_view key = toleration.key();
  const std::string_view effect = toleration.effect();
  return (key == kUnreachable || key.empty()) && (effect.empty() || effect == "NoExecute");
}

}  // namespace

bool IsFailed(const Value& node) { return kube::Annotation(node, kFailAnnotation) == "true"; }

NodeUpdate DesiredHealth(const Value& object, base::Time now) {
  NodeUpdate update;
  const Node node(object);
  const bool failed = IsFailed(object);
  const bool shown_ready = kube::ConditionIs(object, "Ready", "True");
  Value patch = Value::Object();
  const edit::core::Node edit(patch);
  edit.metadata().set_resourceVersion(node.metadata().resourceVersion());
  // One write at a time: the second follows when the watch delivers the first.
  if (failed == shown_ready) {
    edit.status().set_conditions(WithReady(node.status().conditions().Json(), !failed, now));
    update.status_patch = std::move(patch);
  } else if (failed != HasTaint(node)) {
    const auto taints = node.spec().taints();
    edit.spec().set_taints(failed ? WithTaint(taints, now) : WithoutTaint(taints));
    update.spec_patch = std::move(patch);
  }
  return update;
}

DeadNodePod PodOnDeadNode(const Value& pod, const Value& node, base::Time now) {
  DeadNodePod out;
  if (kube::ConditionIs(pod, "Ready", "True")) {
    Value status = view::core::Pod(pod).status().Json();
    const auto conditions = edit::core::PodStatus(status).conditions();
    for (size_t i = 0; i < conditions.size(); ++i) {
      const edit::core::PodCondition condition = conditions.At(i);
      if (view::core::PodCondition(condition.Json()).type() != "Ready") continue;
      condition.set_status("False").set_reason("NodeNotReady");
      condition.set_lastTransitionTime(base::FormatRfc3339(now));
    }
    out.status = std::move(status);
  }
  const view::core::NodeCondition ready(kube::Condition(node, "Ready"));
  const base::Time since = base::ParseRfc3339(ready.lastTransitionTime()).value_or(now);
  base::Duration tolerated = base::Duration::zero();
  for (const view::core::Toleration toleration : view::core::Pod(pod).spec().tolerations()) {
    if (!Tolerates(toleration)) continue;
    if (!toleration.has_tolerationSeconds()) return out;  // Forever.
    tolerated = std::chrono::seconds(toleration.tolerationSeconds());
  }
  out.evict_after = std::max(base::Duration::zero(), since + tolerated - now);
  return out;
}

}  // namespace coppice::sim
