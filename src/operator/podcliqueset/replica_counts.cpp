#include "operator/podcliqueset/replica_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodClique;
using api::grove::PodCliqueScalingGroup;
using api::grove::PodCliqueSet;

bool IsUpdated(const PodCliqueSet& set, const PodCliqueScalingGroup& group) {
  return set.status.currentGenerationHash.has_value() &&
         group.status.currentPodCliqueSetGenerationHash == set.status.currentGenerationHash;
}

Counts CountReplica(const PodCliqueSet& set, const SetChildren& children, int i) {
  Counts counts;
  bool available = true;
  bool updated = true;
  for (const std::string& name : StandaloneCliqueNames(set, i)) {
    const PodClique* clique = children.FindClique(name);
    const bool converged = clique != nullptr && IsConverged(set, *clique);
    available &= clique != nullptr && clique->status.readyReplicas >= clique->spec.MinAvailable();
    updated &= converged;
    if (clique != nullptr && !counts.failure) {
      counts.failure = FailureOf("PodClique", name, clique->status.conditions);
    }
    ++counts.cliques;
    counts.updated_cliques += converged;
  }
  for (const std::string& name : ScalingGroupNames(set, i)) {
    const PodCliqueScalingGroup* group = children.FindGroup(name);
    const bool done = group != nullptr && IsUpdated(set, *group);
    available &= group != nullptr && group->status.availableReplicas >= group->spec.MinAvailable();
    updated &= done;
    if (group != nullptr && !counts.failure) {
      counts.failure = FailureOf("PodCliqueScalingGroup", name, group->status.conditions);
    }
    ++counts.groups;
    counts.updated_groups += done;
  }
  counts.available = available;
  counts.updated = available && updated;
  return counts;
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  available += other.available;
  updated += other.updated;
  cliques += other.cliques;
  updated_cliques += other.updated_cliques;
  groups += other.groups;
  updated_groups += other.updated_groups;
  if (!failure) failure = other.failure;
  return *this;
}

Counts CountReplicas(const PodCliqueSet& set, const SetChildren& children) {
  Counts counts;
  for (int i = 0; i < set.spec.replicas; ++i) counts += CountReplica(set, children, i);
  return counts;
}

Counts ReplicaCounts::Count(const Context& context, const PodCliqueSet& set, const Scope& scope) {
  const std::string of = fmt::format("{}/{}/{}", set.uid(), set.generation(),
                                     set.status.currentGenerationHash.value_or(""));
  Counted counted = Take({set.ns(), set.name()});
  const bool known = counted.of == of;
  counted.of = of;
  counted.replicas.resize(static_cast<size_t>(std::max(set.spec.replicas, 0)));
  const auto replicas = (known ? scope : Scope::All()).Of(set.spec.replicas);
  const SetChildren children = ReadChildren(context, set, replicas);
  for (const int i : replicas) {
    counted.replicas[static_cast<size_t>(i)] = CountReplica(set, children, i);
  }
  Counts sum;
  for (const Counts& replica : counted.replicas) sum += replica;
  const std::lock_guard lock(mutex_);
  counted_[{set.ns(), set.name()}] = std::move(counted);
  return sum;
}

// No other thread counts this set in the meantime: a controller works on a key only once at a time.
ReplicaCounts::Counted ReplicaCounts::Take(const api::ObjectKey& set) {
  const std::lock_guard lock(mutex_);
  return std::exchange(counted_[set], {});
}

void ReplicaCounts::Forget(const api::ObjectKey& set) {
  const std::lock_guard lock(mutex_);
  counted_.erase(set);
}

}  // namespace coppice::operators::podcliqueset
