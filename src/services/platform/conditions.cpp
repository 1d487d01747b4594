#include "services/platform/conditions.h"

#include "api/edit/meta.h"
#include "api/view/kai.h"
#include "api/view/meta.h"
#include "kube/object.h"

namespace coppice::services::platform {
namespace {

using json::Value;

struct State {
  std::string_view type;
  bool good;
  std::string_view reason;
  std::string message;
};

// Replaces the condition of this type; the time stays while the status does.
void Set(const Value& object, const State& state, base::Time now, Value& conditions) {
  const std::string_view status = state.good ? "True" : "False";
  Value made;
  const auto condition = edit::meta::Condition(made)
                             .set_type(state.type)
                             .set_status(status)
                             .set_reason(state.reason)
                             .set_message(state.message)
                             .set_observedGeneration(kube::Generation(object))
                             .set_lastTransitionTime(base::FormatRfc3339(now));
  for (Value& known : conditions.MutableItems()) {
    const view::meta::Condition before(known);
    if (before.type() != state.type) continue;
    if (before.status() == status) condition.set_lastTransitionTime(before.lastTransitionTime());
    known = std::move(made);
    return;
  }
  conditions.Append(std::move(made));
}

// Of a Config or a SchedulingShard: their statuses are of one type.
Value Present(const Value& object) {
  const Value& conditions = view::kai::Config(object).status().conditions().Json();
  return conditions.IsArray() ? conditions : Value::Array();
}

State Deployed(const Health& health) {
  const bool good = health.not_deployed.empty();
  return {"Deployed", good, "deployed", good ? "Resources deployed" : health.not_deployed};
}

State Available(const Health& health) {
  const std::string problem = health.not_deployed + health.not_available;
  if (!problem.empty()) return {"Available", false, "available", problem};
  if (!health.prometheus) return {"Available", true, "available", "System available"};
  if (health.prometheus->problem.empty()) {
    return {"Available", true, "prometheus_connected", "System available"};
  }
  return {"Available", false, "prometheus_connection_failed", health.prometheus->problem};
}

}  // namespace

Value StartedConditions(const Value& object, base::Time now) {
  Value conditions = Present(object);
  const view::meta::Condition reconciling(kube::Condition(object, "Reconciling"));
  if (reconciling && reconciling.observedGeneration() == kube::Generation(object)) {
    return conditions;
  }
  Set(object, {"Reconciling", true, "reconciling", "Reconciliation in progress"}, now, conditions);
  return conditions;
}

Value FinishedConditions(const Value& object, const Health& health, base::Time now) {
  Value conditions = Present(object);
  const State available = Available(health);
  const bool fulfilled = health.missing.empty();
  const bool ready = available.good && fulfilled;
  Set(object, Deployed(health), now, conditions);
  Set(object, available, now, conditions);
  Set(object,
      {"DependenciesFulfilled", fulfilled,
       fulfilled ? "dependencies_fulfilled" : "dependencies_missing",
       fulfilled ? "Dependencies are fulfilled" : health.missing},
      now, conditions);
  Set(object,
      {"Ready", ready, ready ? "ready" : "not_ready",
       ready ? "System is ready" : "System not ready"},
      now, conditions);
  Set(object, {"Reconciling", false, "reconciled", "Reconciliation completed successfully"}, now,
      conditions);
  return conditions;
}

}  // namespace coppice::services::platform
