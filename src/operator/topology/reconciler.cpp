#include "operator/topology/reconciler.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/grove/convert.h"
#include "api/well_known.h"
#include "backends/gangs/topology_sync.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/runtime/changes.h"
#include "operator/runtime/conditions.h"

namespace coppice::operators::topology {
namespace {

using api::grove::ClusterTopologyBinding;
using api::grove::ClusterTopologyBindingStatus;
using backends::TopologyState;

// Objects that others manage are not watched, so poll them for drift.
constexpr base::Duration kLookAgain = std::chrono::minutes(1);

bool BindingChanged(const kube::Change& change) {
  return change.type != kube::ChangeType::kUpdated || GenerationChanged(change);
}

// Domains depend on node labels.
bool DomainsMayDiffer(const kube::Change& change) {
  return change.type != kube::ChangeType::kUpdated || LabelsChanged(change);
}

api::grove::SchedulerTopologyStatus ToStatus(const TopologyState& state) {
  api::grove::SchedulerTopologyStatus status;
  status.schedulerName = state.scheduler_name;
  status.topologyReference = state.reference;
  status.inSync = state.in_sync;
  if (state.observed_generation != 0) {
    status.schedulerBackendTopologyObservedGeneration = state.observed_generation;
  }
  if (!state.message.empty()) status.message = state.message;
  return status;
}

Condition Drift(const std::vector<TopologyState>& states) {
  Condition condition{.type = std::string(api::grove::kSchedulerTopologyDrift)};
  const auto unknown = std::find_if(states.begin(), states.end(),
                                    [](const TopologyState& state) { return !state.known; });
  const auto drifted = std::find_if(states.begin(), states.end(),
                                    [](const TopologyState& state) { return !state.in_sync; });
  if (unknown != states.end()) {
    condition.status = "Unknown";
    condition.reason = "TopologyNotFound";
    condition.message = fmt::format("{}: {}", unknown->scheduler_name, unknown->message);
  } else if (drifted != states.end()) {
    condition.status = "True";
    condition.reason = "Drift";
    condition.message = fmt::format("{}: {}", drifted->scheduler_name, drifted->message);
  } else {
    condition.status = "False";
    condition.reason = "InSync";
    condition.message = "All scheduler backend topologies are in sync";
  }
  return condition;
}

void SetDrift(const ClusterTopologyBinding& binding, const std::vector<TopologyState>& states,
              base::Time now, ClusterTopologyBindingStatus& status) {
  if (states.empty()) {
    RemoveCondition(status.conditions, api::grove::kSchedulerTopologyDrift);
    return;
  }
  Condition condition = Drift(states);
  condition.observedGeneration = binding.generation();
  SetCondition(status.conditions, std::move(condition), now);
}

void ReportTransition(const Context& context, const ClusterTopologyBinding& before,
                      const ClusterTopologyBindingStatus& after) {
  const Condition* old =
      FindCondition(before.status.conditions, api::grove::kSchedulerTopologyDrift);
  const Condition* now = FindCondition(after.conditions, api::grove::kSchedulerTopologyDrift);
  if (now == nullptr || (old != nullptr && old->status == now->status)) return;
  if (now->status == "True") {
    context.Event(before.object, "Warning", "TopologyDriftDetected", now->message);
  } else if (now->status == "False") {
    context.Event(before.object, "Normal", "TopologyInSync", now->message);
  }
}

}  // namespace

base::Result<kube::Requeue> BindingReconciler::Reconcile(const api::ObjectKey& key) {
  std::optional<json::Value> object = context_->bindings.Get(key);
  // Its objects are garbage-collected through owner references.
  if (!object || kube::IsDeleting(*object)) return kube::Requeue::Done();
  const ClusterTopologyBinding binding = api::grove::ReadClusterTopologyBinding(*std::move(object));
  COPPICE_ASSIGN(const std::vector<TopologyState> states,
                 context_->backends.SyncTopology(binding.object));
  ClusterTopologyBindingStatus status = binding.status;
  status.schedulerTopologyStatuses.clear();
  for (const TopologyState& state : states) {
    status.schedulerTopologyStatuses.push_back(ToStatus(state));
  }
  status.observedGeneration = binding.generation();
  SetDrift(binding, states, context_->Now(), status);
  if (status == binding.status) return kube::Requeue::After(kLookAgain);
  COPPICE_TRY(kube::PatchStatus(context_->client(), api::kClusterTopologyBindings, binding.object,
                                api::grove::Write(status)));
  ReportTransition(*context_, binding, status);
  return kube::Requeue::After(kLookAgain);
}

void AddController(kube::Manager& manager, const std::shared_ptr<const Context>& context) {
  kube::ControllerSpec spec{.name = kControllerName};
  spec.For(api::kClusterTopologyBindings, BindingChanged);
  const auto every_binding = [context](const json::Value&) {
    std::vector<api::ObjectKey> keys;
    for (const json::Value& binding : context->bindings.List()) {
      keys.push_back(kube::KeyOf(binding));
    }
    return keys;
  };
  spec.Watches(api::kNodes, every_binding, DomainsMayDiffer);
  manager.AddController(std::move(spec), std::make_unique<BindingReconciler>(context));
}

}  // namespace coppice::operators::topology
