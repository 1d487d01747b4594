#include "services/nodes/node_health.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "api/edit/core.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "kube/object.h"

namespace coppice::services::nodes {
namespace {

using json::Value;
using view::core::Taint;

constexpr std::string_view kReady = "Ready";
constexpr std::string_view kFromKubelet[] = {kReady, "MemoryPressure", "DiskPressure",
                                             "PIDPressure"};

// A condition that a taint follows from.
struct Cause {
  std::string_view condition;
  std::string_view status;
  std::string_view key;
};
constexpr Cause kCauses[] = {
    {kReady, "False", api::labels::kNotReady},
    {kReady, "Unknown", api::labels::kUnreachable},
    {"MemoryPressure", "True", api::labels::kMemoryPressure},
    {"DiskPressure", "True", api::labels::kDiskPressure},
    {"PIDPressure", "True", api::labels::kPidPressure},
    {"NetworkUnavailable", "True", api::labels::kNetworkUnavailable},
};

struct WantedTaint {
  std::string_view key;
  std::string_view effect;
};

std::vector<WantedTaint> Wanted(const Value& node) {
  std::vector<WantedTaint> wanted;
  for (const Cause& cause : kCauses) {
    if (!kube::ConditionIs(node, cause.condition, cause.status)) continue;
    wanted.push_back({cause.key, "NoSchedule"});
    if (cause.condition == kReady) wanted.push_back({cause.key, "NoExecute"});
  }
  if (view::core::Node(node).spec().unschedulable()) {
    wanted.push_back({api::labels::kUnschedulable, "NoSchedule"});
  }
  return wanted;
}

bool IsOurs(Taint taint) {
  if (taint.key() == api::labels::kUnschedulable) return taint.effect() == "NoSchedule";
  return std::any_of(std::begin(kCauses), std::end(kCauses), [&](const Cause& cause) {
    return taint.key() == cause.key &&
           (taint.effect() == "NoSchedule" ||
            (taint.effect() == "NoExecute" && cause.condition == kReady));
  });
}

bool Has(const std::vector<WantedTaint>& wanted, Taint taint) {
  return std::any_of(wanted.begin(), wanted.end(), [&](const WantedTaint& each) {
    return each.key == taint.key() && each.effect == taint.effect();
  });
}

void SetUnknown(const edit::core::NodeCondition& condition, bool known_before, base::Time now) {
  condition.set_status("Unknown")
      .set_reason(known_before ? "NodeStatusUnknown" : "NodeStatusNeverUpdated")
      .set_message(known_before ? "Kubelet stopped posting node status."
                                : "Kubelet never posted node status.")
      .set_lastTransitionTime(base::FormatRfc3339(now));
}

}  // namespace

Value StatusOfSilentNode(const Value& node, base::Time now) {
  Value status = view::core::Node(node).status().Json();
  const auto conditions = edit::core::NodeStatus(status).conditions();
  for (const std::string_view type : kFromKubelet) {
    bool found = false;
    for (size_t i = 0; i < conditions.size(); ++i) {
      const edit::core::NodeCondition condition = conditions.At(i);
      const view::core::NodeCondition shown(condition.Json());
      if (shown.type() != type) continue;
      found = true;
      if (shown.status() != "Unknown") SetUnknown(condition, true, now);
    }
    if (!found) SetUnknown(conditions.Add().set_type(type), false, now);
  }
  return status;
}

std::optional<Value> DesiredTaints(const Value& node, base::Time now) {
  const std::vector<WantedTaint> wanted = Wanted(node);
  Value taints = Value::Array();
  std::vector<WantedTaint> present;
  bool changed = false;
  for (const Taint taint : view::core::Node(node).spec().taints()) {
    const bool keep = !IsOurs(taint) || Has(wanted, taint);
    changed |= !keep;
    if (!keep) continue;
    taints.Append(taint.Json());
    present.push_back({taint.key(), taint.effect()});
  }
  for (const WantedTaint& each : wanted) {
    const bool shown = std::any_of(present.begin(), present.end(), [&](const WantedTaint& other) {
      return other.key == each.key && other.effect == each.effect;
    });
    if (shown) continue;
    const edit::core::Taint taint = edit::List<edit::core::Taint>(taints).Add();
    taint.set_key(each.key).set_effect(each.effect);
    if (each.effect == "NoExecute") taint.set_timeAdded(base::FormatRfc3339(now));
    changed = true;
  }
  if (!changed) return std::nullopt;
  return taints;
}

}  // namespace coppice::services::nodes
