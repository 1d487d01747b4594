#include "operator/common/children.h"

#include "kube/object.h"
#include "operator/common/hash.h"
#include "operator/common/names.h"
#include "operator/runtime/conditions.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators {
namespace {

using api::grove::PodClique;
using api::grove::PodCliqueScalingGroup;
using api::grove::PodCliqueSet;

// A condition that changed this soon after creation only means that nothing has happened yet.
constexpr base::Duration kSettling = std::chrono::seconds(5);
constexpr base::Duration kDefaultTerminationDelay = std::chrono::hours(4);

bool ChangedAfterCreation(const Condition& condition, const json::Value& object) {
  return ReadTime(condition.lastTransitionTime) > CreatedAt(object) + kSettling;
}

std::optional<json::Value> LiveChild(const kube::Informer& informer, const PodCliqueSet& set,
                                     const std::string& name) {
  std::optional<json::Value> object = informer.Get({set.ns(), name});
  if (!object || kube::IsDeleting(*object)) return std::nullopt;
  if (ControllerUid(*object) != set.uid()) return std::nullopt;
  return object;
}

}  // namespace

const PodClique* SetChildren::FindClique(const std::string& name) const {
  const auto found = cliques.find(name);
  return found == cliques.end() ? nullptr : &found->second;
}

const PodCliqueScalingGroup* SetChildren::FindGroup(const std::string& name) const {
  const auto found = groups.find(name);
  return found == groups.end() ? nullptr : &found->second;
}

SetChildren ReadChildren(const Context& context, const PodCliqueSet& set,
                         const std::vector<int>& replicas) {
  SetChildren children;
  for (const int i : replicas) {
    for (const std::string& name : StandaloneCliqueNames(set, i)) {
      auto object = LiveChild(context.cliques, set, name);
      if (object) children.cliques.emplace(name, api::grove::ReadPodClique(*std::move(object)));
    }
    for (const std::string& name : ScalingGroupNames(set, i)) {
      auto object = LiveChild(context.groups, set, name);
      if (object) children.groups.emplace(name, api::grove::ReadScalingGroup(*std::move(object)));
    }
  }
  return children;
}

std::vector<std::string> StandaloneCliqueNames(const PodCliqueSet& set, int i) {
  std::vector<std::string> result;
  for (const auto& clique : set.spec.template_.cliques) {
    if (set.spec.template_.GroupOf(clique.name) != nullptr) continue;
    result.push_back(names::StandaloneClique(set.name(), i, clique.name));
  }
  return result;
}

std::vector<std::string> ScalingGroupNames(const PodCliqueSet& set, int i) {
  std::vector<std::string> result;
  for (const auto& group : set.spec.template_.podCliqueScalingGroups) {
    result.push_back(names::ScalingGroup(set.name(), i, group.name));
  }
  return result;
}

std::optional<std::string> ExpectedTemplateHash(const PodCliqueSet& set,
                                                const json::Value& clique) {
  const auto* found = set.spec.template_.FindClique(names::CliqueTemplateName(clique));
  if (found == nullptr) return std::nullopt;
  return PodTemplateHash(*found, set);
}

bool IsConverged(const PodCliqueSet& set, const PodClique& clique) {
  const auto expected = ExpectedTemplateHash(set, clique.object);
  const int32_t minimum = clique.spec.MinAvailable();
  return expected && clique.label(labels::kTemplateHash) == *expected &&
         clique.status.currentPodTemplateHash == expected &&
         clique.status.currentPodCliqueSetGenerationHash.has_value() &&
         clique.status.currentPodCliqueSetGenerationHash == set.status.currentGenerationHash &&
         clique.status.readyReplicas >= minimum && clique.status.updatedReplicas >= minimum;
}

std::optional<base::Duration> TimeLeft(const PodCliqueSet& set,
                                       const std::vector<Condition>& conditions, base::Time now) {
  const Condition* breach = FindCondition(conditions, api::grove::kMinAvailableBreached);
  if (breach == nullptr || breach->status != "True") return std::nullopt;
  const base::Duration delay = base::ParseDuration(set.spec.template_.terminationDelay.value_or(""))
                                   .value_or(kDefaultTerminationDelay);
  return delay - (now - ReadTime(breach->lastTransitionTime));
}

bool WasEverScheduled(const PodClique& clique) {
  const Condition* scheduled =
      FindCondition(clique.status.conditions, api::grove::kPodCliqueScheduled);
  if (scheduled == nullptr) return false;
  return scheduled->status == "True" || scheduled->reason == kScheduledPodsLost ||
         ChangedAfterCreation(*scheduled, clique.object);
}

bool WasEverHealthy(const PodCliqueScalingGroup& group) {
  const Condition* breach =
      FindCondition(group.status.conditions, api::grove::kMinAvailableBreached);
  if (breach == nullptr) return false;
  return breach->status == "False" || breach->reason == kGroupReplicasLost ||
         ChangedAfterCreation(*breach, group.object);
}

bool IsTemplateKnown(const PodCliqueSet& set) {
  return set.status.currentGenerationHash == GenerationHash(set);
}

}  // namespace coppice::operators
