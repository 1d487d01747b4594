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
      .Field("minSubGroup", "How many of its direct parts must run. Default: all.", {Minimum(0)})
      .Field("topologyConstraint", "How close its pods sit.");
}

StructNotes Notes(const PodGroupSpec*) {
  return StructNotes("Pods that start together.")
      .Field("minMember", "How many pods must run together. Default: 1.", {Minimum(0)})
      .Field("minSubGroup", "How many direct sub-groups must run. Default: all.", {Minimum(0)})
      .Field("queue", "The queue that pays for the group.")
      .Field("priorityClassName", "Priority of the group. Default: a priority of 50.")
      .Field("preemptibility",
             "Whether others may take its place. Default: preemptible below priority 100.",
             {Enum({"preemptible", "non-preemptible"})})
      .Field("preemptionDelay",
             "How long the group waits before it takes from others, as a duration. Default: 0s.")
      .Field("stalenessGracePeriod",
             "How long it may run below its minimum, as a duration; negative: for ever. Default: "
             "60s.")
      .Field("subGroups", "Parts of the group that are gangs of their own.")
      .Field("topologyConstraint", "How close all its pods sit.")
      .Field("markUnschedulable", "Whether pods get an Unschedulable condition.")
      .Field("schedulingBackoff", "-1 tries in every cycle, 1 once per node pool.");
}

StructNotes Notes(const GroupCondition*) {
  return StructNotes("One aspect of the group's state.")
      .Field("type", "Which aspect, in CamelCase.")
      .Field("status", "Whether it holds: True, False or Unknown.")
      .Field("reason", "For programs, in CamelCase.")
      .Field("message", "For people.")
      .Field("transitionID", "Number of the transition; grows.")
      .Field("lastTransitionTime", "When the status last changed.", {DateTime()});
}

StructNotes Notes(const QueueDetails*) {
  return StructNotes("The queue's numbers when it refused the group.")
      .Field("name", "The queue.")
      .Field("queueRequestedResources", "What its pods ask for.")
      .Field("queueDeservedResources", "Its quota.")
      .Field("queueAllocatedResources", "What its pods hold.")
      .Field("queueAllocatedNonPreemptibleResources", "The part that cannot be preempted.")
      .Field("queueResourceLimits", "Its limit.")
      .Field("podGroupRequestedResources", "What the group asks for.")
      .Field("podGroupRequestedNonPreemptibleResources",
             "The part of it that cannot be preempted.");
}

StructNotes Notes(const UnschedulableDetails*) {
  return StructNotes("Numbers behind a reason.")
      .Field("queueDetails", "Those of the queue that refused the group.");
}

StructNotes Notes(const UnschedulableExplanation*) {
  return StructNotes("One reason why the group waits.")
      .Field("reason", "For programs, in CamelCase.")
      .Field("message", "For people.")
      .Field("details", "The numbers.");
}

StructNotes Notes(const ResourcesStatus*) {
  return StructNotes("Resources of the group's pods.")
      .Field("allocated", "What they hold.")
      .Field("allocatedNonPreemptible", "The part of it that cannot be preempted.")
      .Field("requested", "What they ask for.");
}

StructNotes Notes(const PodGroupStatus*) {
  return StructNotes("How far the group is.")
      .Field("phase", "Pending, Running, Succeeded or Failed.")
      .Field("conditions", "Aspects of the group's state, by type.")
      .Field("schedulingConditions", "Why node pools did not take the group.")
      .Field("resourcesStatus", "What the group holds and asks for.");
}

StructNotes Notes(const SchedulingCondition*) {
  return StructNotes("Why one node pool did not take the group.")
      .Field("type", "UnschedulableOnNodePool.")
      .Field("nodePool", "The node pool.")
      .Field("status", "Whether it holds: True, False or Unknown.")
      .Field("reason", "For programs, in CamelCase.")
      .Field("message", "For people.")
      .Field("reasons", "All reasons.")
      .Field("transitionID", "Number of the transition; grows.")
      .Field("lastTransitionTime", "When the status last changed.", {DateTime()});
}

json::Value PodGroupCrd() {
  return Crd(kPodGroups)
      .ShortNames({"pg"})
      .Version<PodGroupSpec, PodGroupStatus>("v2alpha2", {.about = "A gang of pods."})
      .ToJson();
}

}  // namespace coppice::api::kai
