#include <algorithm>

#include "api/edit/kueue.h"
#include "api/grove/pod_gang.h"
#include "api/view/core.h"
#include "api/view/kueue.h"
#include "backends/framework/pods.h"
#include "backends/kueue/surplus.h"
#include "backends/kueue/workload.h"
#include "backends/model/gang_condition.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends::kueue {
namespace {

using json::Value;

// Pods that still wait for admission stay; re-admission will release them. A pod that only waits
// for its topology assignment was released under an admission that is now void.
bool Waits(const Value& pod) {
  const auto gates = view::core::Pod(pod).spec().schedulingGates();
  return std::any_of(gates.begin(), gates.end(), [](view::core::PodSchedulingGate gate) {
    return gate.name() != kTopologyGate;
  });
}

// Whether a released pod may still run. If it still exists after its deletion time, its node does
// not respond any more.
bool Occupies(const Value& pod, const std::string& now) {
  if (Waits(pod) || IsFinished(pod)) return false;
  return !kube::IsDeleting(pod) || view::core::Pod(pod).metadata().deletionTimestamp() > now;
}

// The pods that an eviction stops: the whole gang, or the surplus pods that no Workload covers any
// more.
std::vector<Value> Evicted(const GangInput& input, const Value& workload,
                           std::span<const Value> pods) {
  std::vector<Value> evicted;
  if (kube::Name(workload) == WorkloadName(input)) {
    for (const Value& pod : pods) {
      if (!kube::IsDeleting(pod) && !Waits(pod)) evicted.push_back(pod);
    }
    return evicted;
  }
  for (const Seat& seat : SeatSurplus(input, pods, Waits)) {
    if (!seat.workload && !Waits(seat.pod)) evicted.push_back(seat.pod);
  }
  return evicted;
}

// Whether a terminating pod still occupies what the Workload counts.
bool IsLeaving(const GangInput& input, const Value& workload, const Value& pod,
               const std::string& now) {
  if (!kube::IsDeleting(pod) || !Occupies(pod, now)) return false;
  if (kube::Name(workload) == WorkloadName(input)) return true;
  const PodGroupInfo* group = input.gang.FindGroup(kube::Label(pod, labels::kPodClique));
  return group != nullptr && IsSurplus(*group, PodIndex(pod));
}

// Adds the Workload conditions that we own to the existing ones.
class Report {
 public:
  Report(const Value& workload, const std::string& now) : workload_(workload), now_(now) {
    conditions_ = view::kueue::Workload(workload).status().conditions().Json();
    if (!conditions_.IsArray()) conditions_ = Value::Array();
  }

  void Set(std::string_view type, bool value, std::string_view reason, std::string_view message) {
    const std::string_view status = value ? "True" : "False";
    const view::meta::Condition old(kube::Condition(workload_, type));
    Value condition;
    edit::meta::Condition(condition)
        .set_type(type)
        .set_status(status)
        .set_reason(reason)
        .set_message(message)
        .set_observedGeneration(kube::Generation(workload_))
        .set_lastTransitionTime(old.status() == status ? old.lastTransitionTime() : now_);
    for (Value& present : conditions_.MutableItems()) {
      if (view::meta::Condition(present).type() != type) continue;
      present = std::move(condition);
      return;
    }
    conditions_.Append(std::move(condition));
  }

  // A merge patch.
  Value status() const {
    Value status;
    edit::kueue::WorkloadStatus(status).set_conditions(conditions_);
    return status;
  }

 private:
  const Value& workload_;
  const std::string& now_;
  Value conditions_;
};

// Releases the quota like Kueue's own integrations. A Workload that was preempted or lost a node is
// requeued immediately. For other reasons (a stopped queue, a deactivated Workload, a PodsReady
// timeout) Kueue decides when to requeue it.
Value GiveBack(const Value& workload, const std::string& now) {
  const view::meta::Condition evicted(kube::Condition(workload, kEvicted));
  const std::string_view reason = evicted.reason();
  const std::string_view message = evicted.message();
  Report report(workload, now);
  report.Set(kRequeued, reason == kPreempted || reason == "NodeFailures", reason, message);
  report.Set(kQuotaReserved, false, "Pending", message);
  report.Set(kAdmitted, false, "NoReservation", "its pods have stopped");
  report.Set(kPodsReady, false, "PodsNotReady", "its pods have stopped");
  Value status = report.status();
  edit::kueue::WorkloadStatus(status).set_admission(nullptr);
  return status;
}

void Evict(const GangInput& input, const Value& workload, std::span<const Value> pods,
           const std::string& now, Repair& repair) {
  std::vector<Value> evicted = Evicted(input, workload, pods);
  const bool leaving = std::any_of(pods.begin(), pods.end(), [&](const Value& pod) {
    return IsLeaving(input, workload, pod, now);
  });
  if (!evicted.empty()) repair.reason = "EvictedByKueue";
  repair.waits = repair.waits || leaving;
  if (evicted.empty() && !leaving && kube::ConditionIs(workload, kQuotaReserved, "True")) {
    repair.reports.push_back({Workloads(Version(input)), workload, GiveBack(workload, now)});
  }
  for (Value& pod : evicted) repair.delete_pods.push_back(std::move(pod));
}

void TellReadiness(const GangInput& input, const Value& workload, const std::string& now,
                   Repair& repair) {
  const bool ready = StatusHas(input.status, api::grove::kGangReady);
  if (kube::ConditionIs(workload, kPodsReady, "True") == ready) return;
  Report report(workload, now);
  report.Set(kPodsReady, ready, ready ? "PodGangReady" : "PodsNotReady", "");
  repair.reports.push_back({Workloads(Version(input)), workload, report.status()});
}

}  // namespace

void AddRepair(const GangInput& input, std::span<const Value> objects, std::span<const Value> pods,
               const std::string& now, Repair& repair) {
  for (const Value& object : objects) {
    if (!IsWorkload(object)) continue;
    if (kube::ConditionIs(object, kEvicted, "True")) {
      Evict(input, object, pods, now, repair);
    } else if (IsAdmitted(object)) {
      TellReadiness(input, object, now, repair);
    }
  }
}

}  // namespace coppice::backends::kueue
