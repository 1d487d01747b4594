#pragma once

#include "api/grove/cluster_topology_binding.h"
#include "api/grove/pod_clique.h"
#include "api/grove/pod_clique_set.h"
#include "api/grove/pod_gang.h"
#include "api/grove/scaling_group.h"
#include "api/typed/notes.h"

// What the schemas of Grove's kinds say beyond field types.
namespace coppice::api::grove {

StructNotes Notes(const Condition*);
StructNotes Notes(const LastError*);
StructNotes Notes(const NamespacedName*);

StructNotes Notes(const TopologyPack*);
StructNotes Notes(const TopologyConstraint*);
StructNotes Notes(const ResourceClaimTemplateConfig*);
StructNotes Notes(const ResourceSharingSpec*);
StructNotes Notes(const PodCliqueSetSharingFilter*);
StructNotes Notes(const ScalingGroupSharingFilter*);
StructNotes Notes(const PodCliqueSetResourceSharingSpec*);
StructNotes Notes(const ScalingGroupResourceSharingSpec*);
StructNotes Notes(const AutoScalingConfig*);
StructNotes Notes(const PodCliqueSpec*);
StructNotes Notes(const UpdateStrategy*);
StructNotes Notes(const HeadlessServiceConfig*);
StructNotes Notes(const PodCliqueTemplate*);
StructNotes Notes(const ScalingGroupConfig*);
StructNotes Notes(const PodCliqueSetTemplate*);
StructNotes Notes(const PodCliqueSetSpec*);
StructNotes Notes(const ScalingGroupSpec*);

StructNotes Notes(const PodsSelectedToUpdate*);
StructNotes Notes(const PodCliqueUpdateProgress*);
StructNotes Notes(const PodCliqueStatus*);
StructNotes Notes(const ReplicaUpdate*);
StructNotes Notes(const PodCliqueSetUpdateProgress*);
StructNotes Notes(const PodGangSummary*);
StructNotes Notes(const PodCliqueSetStatus*);
StructNotes Notes(const ReplicasSelectedToUpdate*);
StructNotes Notes(const ScalingGroupUpdateProgress*);
StructNotes Notes(const ScalingGroupStatus*);

StructNotes Notes(const TopologyLevel*);
StructNotes Notes(const SchedulerTopologyBinding*);
StructNotes Notes(const ClusterTopologyBindingSpec*);
StructNotes Notes(const SchedulerTopologyStatus*);
StructNotes Notes(const ClusterTopologyBindingStatus*);

StructNotes Notes(const PackConstraint*);
StructNotes Notes(const GangTopologyConstraint*);
StructNotes Notes(const PodGroup*);
StructNotes Notes(const TopologyConstraintGroupConfig*);
StructNotes Notes(const PodGangSpec*);
StructNotes Notes(const PodGangStatus*);

}  // namespace coppice::api::grove
