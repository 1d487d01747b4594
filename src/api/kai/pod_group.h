#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "json/value.h"

namespace coppice::api::kai {

struct GroupTopologyConstraint {
  std::string topology;
  std::string requiredTopologyLevel;
  std::string preferredTopologyLevel;
};
BOOST_DESCRIBE_STRUCT(GroupTopologyConstraint, (),
                      (topology, requiredTopologyLevel, preferredTopologyLevel))

struct SubGroup {
  std::string name;
  std::optional<int32_t> minMember;
  std::optional<int32_t> minSubGroup;
  std::optional<std::string> parent;
  std::optional<GroupTopologyConstraint> topologyConstraint;
};
BOOST_DESCRIBE_STRUCT(SubGroup, (), (name, minMember, minSubGroup, parent, topologyConstraint))

struct PodGroupSpec {
  std::optional<int32_t> minMember;
  std::optional<int32_t> minSubGroup;
  std::string queue;
  std::string priorityClassName;
  std::string preemptibility;
  std::string preemptionDelay;
  std::string stalenessGracePeriod;
  std::optional<bool> markUnschedulable;
  std::optional<int32_t> schedulingBackoff;
  std::vector<SubGroup> subGroups;
  std::optional<GroupTopologyConstraint> topologyConstraint;
};
BOOST_DESCRIBE_STRUCT(PodGroupSpec, (),
                      (minMember, minSubGroup, queue, priorityClassName, preemptibility,
                       preemptionDelay, stalenessGracePeriod, markUnschedulable, schedulingBackoff,
                       subGroups, topologyConstraint))

using ResourceMap = std::map<std::string, base::Quantity>;

struct GroupCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::string transitionID;
  std::string lastTransitionTime;
};
BOOST_DESCRIBE_STRUCT(GroupCondition, (),
                      (type, status, reason, message, transitionID, lastTransitionTime))

struct QueueDetails {
  std::string name;
  ResourceMap queueRequestedResources;
  ResourceMap queueDeservedResources;
  ResourceMap queueAllocatedResources;
  ResourceMap queueAllocatedNonPreemptibleResources;
  ResourceMap queueResourceLimits;
  ResourceMap podGroupRequestedResources;
  ResourceMap podGroupRequestedNonPreemptibleResources;
};
BOOST_DESCRIBE_STRUCT(QueueDetails, (),
                      (name, queueRequestedResources, queueDeservedResources,
                       queueAllocatedResources, queueAllocatedNonPreemptibleResources,
                       queueResourceLimits, podGroupRequestedResources,
                       podGroupRequestedNonPreemptibleResources))

struct UnschedulableDetails {
  std::optional<QueueDetails> queueDetails;
};
BOOST_DESCRIBE_STRUCT(UnschedulableDetails, (), (queueDetails))

struct UnschedulableExplanation {
  std::string reason;
  std::string message;
  std::optional<UnschedulableDetails> details;
};
BOOST_DESCRIBE_STRUCT(UnschedulableExplanation, (), (reason, message, details))

struct SchedulingCondition {
  std::string type;
  std::string nodePool;
  std::string reason;
  std::string message;
  std::string transitionID;
  std::string lastTransitionTime;
  std::string status;
  std::vector<UnschedulableExplanation> reasons;
};
BOOST_DESCRIBE_STRUCT(SchedulingCondition, (),
                      (type, nodePool, reason, message, transitionID, lastTransitionTime, status,
                       reasons))

struct ResourcesStatus {
  ResourceMap allocated;
  ResourceMap allocatedNonPreemptible;
  ResourceMap requested;
};
BOOST_DESCRIBE_STRUCT(ResourcesStatus, (), (allocated, allocatedNonPreemptible, requested))

struct PodGroupStatus {
  std::string phase;  // Ours: KAI's own definition has none.
  std::vector<GroupCondition> conditions;
  std::vector<SchedulingCondition> schedulingConditions;
  std::optional<ResourcesStatus> resourcesStatus;
};
BOOST_DESCRIBE_STRUCT(PodGroupStatus, (),
                      (phase, conditions, schedulingConditions, resourcesStatus))

}  // namespace coppice::api::kai
