#include "backends/sync/release.h"

#include "api/grove/pod_gang.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/framework/pods.h"
#include "backends/kueue/kueue.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

bool HasPlacedPod(const CacheView& view, const Value& gang) {
  for (const view::grove::PodGroup group : view::grove::PodGang(gang).spec().podgroups()) {
    for (const view::grove::NamespacedName reference : group.podReferences()) {
      const auto pod =
          view.Get(api::kPods, {std::string(kube::Namespace(gang)), std::string(reference.name())});
      if (pod && IsBound(*pod) && Stays(view, *pod)) return true;
    }
  }
  return false;
}

// The condition is updated some time after its pods are gone. Until then it must not release their
// replacements.
bool IsScheduled(const CacheView& view, const Value& gang) {
  return kube::ConditionIs(gang, api::grove::kGangScheduled, "True") && HasPlacedPod(view, gang);
}

bool CliquesAreScheduled(const CacheView& view, const std::string& ns, const Value& gang) {
  for (const view::grove::PodGroup group : view::grove::PodGang(gang).spec().podgroups()) {
    const auto clique = view.Get(api::kPodCliques, {ns, std::string(group.name())});
    const int64_t scheduled =
        clique ? view::grove::PodClique(*clique).status().scheduledReplicas() : -1;
    if (scheduled < group.minReplicas()) return false;
  }
  return true;
}

void AddBaseGang(const CacheView& view, const std::string& ns, ReleaseInput& release) {
  const std::string base(kube::Label(release.pod, labels::kBaseGang));
  if (base.empty()) return;
  release.base_gang = view.Get(api::kPodGangs, {ns, base}).value_or(Value());
  if (release.base_gang->IsNull()) return;
  release.base_gang_scheduled = release.policy->BaseGangIsScheduledByCliques()
                                    ? CliquesAreScheduled(view, ns, *release.base_gang)
                                    : IsScheduled(view, *release.base_gang);
}

void AddAdmission(const GangInput& input, std::string_view group, ReleaseInput& release) {
  const kueue::Admission admission = release.surplus
                                         ? kueue::CheckSurplus(input, release.pod, release.gate)
                                         : kueue::CheckAdmission(input, group);
  if (!admission.admitted) {
    release.held_by = release.surplus ? "Kueue has not admitted pods beyond the gang's minimum"
                                      : "Kueue has not admitted the gang";
  }
  for (const json::Member& label : admission.node_selector.Members()) {
    release.pin.Set(label.name(), label.value);
  }
  release.tolerations = admission.tolerations;
}

void AddSurplus(const CacheView& view, const GangReader& reader, const Selection& selection,
                ReleaseInput& release) {
  const GangInput input = reader.Read(release.gang, selection, *release.policy);
  const ReleaseRule rule = selection.backend->Release(input);
  const std::string_view name = kube::Label(release.pod, labels::kPodClique);
  const PodGroupInfo* group = input.gang.FindGroup(name);
  if (group == nullptr) return;
  const bool layered = kueue::Applies(input);
  const bool surplus = IsSurplus(*group, PodIndex(release.pod));
  release.surplus = (rule.hold_surplus || layered) && surplus;
  if (release.surplus || rule.pin_replacements) {
    release.gang_scheduled = IsScheduled(view, release.gang);
  }
  if (release.surplus || release.gang_scheduled) release.pin = DomainPin(input, name);
  if (layered) AddAdmission(input, name, release);
}

}  // namespace

ReleaseInput ReadRelease(const CacheView& view, const GangReader& reader,
                         const Selection& selection, const CompatibilityPolicy& policy,
                         const Value& pod, const Value& gang) {
  ReleaseInput release;
  release.pod = pod;
  release.gang = gang;
  release.policy = &policy;
  // Grove's gate is removed too, because pods may be older than the current compatibility profile.
  release.gate = selection.backend->SchedulingGate();
  AddBaseGang(view, std::string(kube::Namespace(pod)), release);
  if (policy.HoldsSurplusPods()) AddSurplus(view, reader, selection, release);
  return release;
}

}  // namespace coppice::backends
