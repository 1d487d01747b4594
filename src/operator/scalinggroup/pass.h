#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/grove/pod_clique.h"
#include "api/grove/pod_clique_set.h"
#include "api/grove/scaling_group.h"
#include "operator/runtime/context.h"

namespace coppice::operators::scalinggroup {

// One reconcile of one PodCliqueScalingGroup: everything that its steps read, read once.
struct Pass {
  const Context& context;
  api::grove::PodCliqueScalingGroup group;
  const api::grove::PodCliqueSet set;
  const api::grove::ScalingGroupConfig& config;  // Points into `set`.
  // Its PodCliques that are not being deleted, by name.
  std::map<std::string, api::grove::PodClique> cliques;

  api::ObjectKey key() const { return {group.ns(), group.name()}; }
  int set_replica() const;
  std::string MemberName(int replica, const std::string& clique) const;
  // The existing PodCliques of one replica.
  std::vector<const api::grove::PodClique*> CliquesOf(int replica) const;
  // True if all PodCliques of the replica exist.
  bool IsComplete(int replica) const;
  bool UpdateRunning() const;
};

base::Status WriteStatus(Pass& pass, const api::grove::ScalingGroupStatus& status);
// The replica that a member belongs to; -1 if its label is missing.
int ReplicaOf(const api::grove::PodClique& member);
// Deletes the PodCliques of a replica, removes them from `pass`, and emits an event on the set.
base::Status DeleteReplica(Pass& pass, int replica);

}  // namespace coppice::operators::scalinggroup
