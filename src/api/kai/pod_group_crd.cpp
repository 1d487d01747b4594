#include "api/kai/crds.h"
#include "api/kai/pod_group.h"
#include "api/typed/crd.h"
#include "api/well_known.h"

namespace coppice::api::kai {
namespace {

constexpr std::string_view kGroupName = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

}  // namespace

StructNotes Notes(const GroupTopologyConstraint*) {
  return StructNotes("How close together the members must or should sit.")
      .Field("topology", "The Topology whose levels are meant.")
      .Field("requiredTopologyLevel", "All members within one domain of this level.")
      .Field("preferredTopologyLevel", "The same, where it can be had.");
}

StructNotes Notes(const SubGroup*) {
  return StructNotes("A part of the group that is a gang of its own.")
      .Required({"name"})
      .Field("name", "Unique within the group.", {MinLength(1), Pattern(kGroupName)})
      .Field("parent", "The sub-group that this one is a part of.", {Pattern(kGroupName)})
      .Field("minMember", "How many of its pods must run together.", {Minimum(0)})
      .Field("minSubGroup", "How many of its direct parts must run.", {Minimum(0)});
}

StructNotes Notes(const PodGroupSpec*) {
  return StructNotes("Pods that start together.")
      .Field("minMember", "How many pods must run together.", {Minimum(0)})
      .Field("minSubGroup", "How many direct sub-groups must run.", {Minimum(0)})
      .Field("queue", "The queue that pays for the group.")
      .Field("preemptibility", "Whether others may take its place.",
             {Enum({"preemptible", "non-preemptible"})})
      .Field("preemptionDelay", "How long the group waits before it takes from others.")
      .Field("stalenessGracePeriod", "How long it may run below its minimum; negative: for ever.")
      .Field("markUnschedulable", "Whether pods get an Unschedulable condition.")
      .Field("schedulingBackoff", "-1 tries in every cycle, 1 once per node pool.");
}

StructNotes Notes(const GroupCondition*) {
  return StructNotes().Field("lastTransitionTime", "", {DateTime()});
}

StructNotes Notes(const SchedulingCondition*) {
  return StructNotes("Why one node pool did not take the group.")
      .Field("lastTransitionTime", "", {DateTime()});
}

json::Value PodGroupCrd() {
  return Crd(kPodGroups)
      .ShortNames({"pg"})
      .Version<PodGroupSpec, PodGroupStatus>("v2alpha2", {.about = "A gang of pods."})
      .ToJson();
}

}  // namespace coppice::api::kai
