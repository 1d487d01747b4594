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

// The standalone PodCliques and scaling groups of some replicas of a set, from the cache, by name.
// Objects that are being deleted are left out.
struct SetChildren {
  std::map<std::string, api::grove::PodClique> cliques;
  std::map<std::string, api::grove::PodCliqueScalingGroup> groups;

  const api::grove::PodClique* FindClique(const std::string& name) const;
  const api::grove::PodCliqueScalingGroup* FindGroup(const std::string& name) const;
};
SetChildren ReadChildren(const Context& context, const api::grove::PodCliqueSet& set,
                         const std::vector<int>& replicas);

// The names of the children that replica `i` should have.
std::vector<std::string> StandaloneCliqueNames(const api::grove::PodCliqueSet& set, int i);
std::vector<std::string> ScalingGroupNames(const api::grove::PodCliqueSet& set, int i);

// The hash of a PodClique according to the set's template; nullopt if the template has no such
// clique.
std::optional<std::string> ExpectedTemplateHash(const api::grove::PodCliqueSet& set,
                                                const json::Value& clique);
// True if a PodClique runs the set's current template and has its minimum ready.
bool IsConverged(const api::grove::PodCliqueSet& set, const api::grove::PodClique& clique);

// How much longer a breach must last before the gang is terminated; nullopt if there is no breach.
std::optional<base::Duration> TimeLeft(const api::grove::PodCliqueSet& set,
                                       const std::vector<api::grove::Condition>& conditions,
                                       base::Time now);
// Whether it ever had its minimum: an object that never ran cannot be breached. If we wrote its
// condition, the reason says so. If Grove wrote it, the transition time does, unless everything was
// lost within seconds of creation.
inline constexpr std::string_view kScheduledPodsLost = "ScheduledPodsLost";
inline constexpr std::string_view kGroupReplicasLost = "PodCliqueScalingGroupReplicasLost";
bool WasEverScheduled(const api::grove::PodClique& clique);
bool WasEverHealthy(const api::grove::PodCliqueScalingGroup& group);

// False until the set's controller has processed the set's current template or has taken the set
// over. Until then it is unknown what is up to date.
bool IsTemplateKnown(const api::grove::PodCliqueSet& set);

}  // namespace coppice::operators
