#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/grove/pod_clique.h"
#include "api/grove/pod_clique_set.h"
#include "api/grove/scaling_group.h"
#include "operator/runtime/context.h"

namespace coppice::operators {

// The standalone PodCliques and the scaling groups of some replicas of a set as the cache knows
// them, by name, those being deleted left out.
struct SetChildren {
  std::map<std::string, api::grove::PodClique> cliques;
  std::map<std::string, api::grove::PodCliqueScalingGroup> groups;

  const api::grove::PodClique* FindClique(const std::string& name) const;
  const api::grove::PodCliqueScalingGroup* FindGroup(const std::string& name) const;
};
SetChildren ReadChildren(const Context& context, const api::grove::PodCliqueSet& set,
                         const std::vector<int>& replicas);

// Names of what replica `i` should have.
std::vector<std::string> StandaloneCliqueNames(const api::grove::PodCliqueSet& set, int i);
std::vector<std::string> ScalingGroupNames(const api::grove::PodCliqueSet& set, int i);

// The hash that the set's template gives a PodClique; nullopt when the template has no such clique.
std::optional<std::string> ExpectedTemplateHash(const api::grove::PodCliqueSet& set,
                                                const json::Value& clique);
// True when a PodClique runs the set's present template with its minimum ready.
bool IsConverged(const api::grove::PodCliqueSet& set, const api::grove::PodClique& clique);

// How long a breach still has to last before it ends its gang; nullopt when there is none.
std::optional<base::Duration> TimeLeft(const api::grove::PodCliqueSet& set,
                                       const std::vector<api::grove::Condition>& conditions,
                                       base::Time now);
// A clique that never ran cannot be breached.
// Whether it has had its minimum. Its condition's reason says so where we wrote it; where Grove
// did, the time tells, unless all was lost within seconds of its creation.
inline constexpr std::string_view kScheduledPodsLost = "ScheduledPodsLost";
inline constexpr std::string_view kGroupReplicasLost = "PodCliqueScalingGroupReplicasLost";
bool WasEverScheduled(const api::grove::PodClique& clique);
bool WasEverHealthy(const api::grove::PodCliqueScalingGroup& group);

// False while the set's controller has yet to look at the set's present template, or to take the
// set over: until then nobody can tell what of it is up to date.
bool IsTemplateKnown(const api::grove::PodCliqueSet& set);

}  // namespace coppice::operators
