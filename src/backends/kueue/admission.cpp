#include "api/gates.h"
#include "api/view/kueue.h"
#include "backends/framework/gates.h"
#include "backends/kueue/surplus.h"
#include "backends/kueue/workload.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
#include "kube/object.h"

namespace coppice::backends::kueue {
namespace {

using json::Value;

// The assignment of a group's PodSet.
view::kueue::PodSetAssignment AssignmentOf(view::kueue::Workload workload, std::string_view group) {
  static const Value kNone;
  for (const auto item : workload.status().admission().podSetAssignments()) {
    if (item.name() == ShortLabel(group)) return item;
  }
  return view::kueue::PodSetAssignment(kNone);
}

void AddFlavor(const GangInput& input, const std::string& name, Admission& admission) {
  auto flavor = input.cluster->Get(kResourceFlavors, {"", name});
  if (!flavor) return;
  const view::kueue::ResourceFlavorSpec spec = view::kueue::ResourceFlavor(*flavor).spec();
  for (const auto& [label, value] : spec.nodeLabels()) admission.node_selector.Set(label, value);
  for (const Value& toleration : spec.tolerations().Json().Items()) {
    bool known = false;
    for (const Value& present : admission.tolerations.Items()) known |= present == toleration;
    if (!known) admission.tolerations.Append(toleration);
  }
}

}  // namespace

bool IsWorkload(const Value& object) {
  return view::kueue::Workload(object).apiVersion().starts_with(std::string(kGroup) + "/");
}

bool IsAdmitted(const Value& workload) {
  return kube::ConditionIs(workload, kAdmitted, "True") &&
         !kube::ConditionIs(workload, kEvicted, "True");
}

Admission AdmittedBy(const GangInput& input, const std::optional<Value>& workload,
                     std::string_view group) {
  Admission admission;
  if (!workload || !IsAdmitted(*workload)) return admission;
  admission.admitted = true;
  const auto assignment = AssignmentOf(view::kueue::Workload(*workload), group);
  for (const auto& [resource, flavor] : assignment.flavors()) {
    AddFlavor(input, std::string(flavor), admission);
  }
  return admission;
}

Admission CheckAdmission(const GangInput& input, std::string_view group) {
  if (ByPodGroup(input)) return {.admitted = true};  // Kueue's own gate holds the pod.
  return AdmittedBy(
      input, input.cluster->Get(Workloads(Version(input)), {input.gang.ns, WorkloadName(input)}),
      group);
}

Admission CheckSurplus(const GangInput& input, const Value& pod, std::string_view gate) {
  if (ByPodGroup(input)) return {.admitted = true};
  const std::vector<Value> pods = input.cluster->GangPods(input.gang.ns, input.gang.name);
  const auto waits = [&](const Value& one) {
    return HasGate(one, gate) || HasGate(one, api::gates::kGrovePodGang);
  };
  for (const Seat& seat : SeatSurplus(input, pods, waits)) {
    if (kube::Uid(seat.pod) == kube::Uid(pod)) {
      return AdmittedBy(input, seat.workload, kube::Label(pod, labels::kPodClique));
    }
  }
  return {};
}

}  // namespace coppice::backends::kueue
