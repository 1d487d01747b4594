#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/meta.h"
#include "api/grove/pod_clique.h"
#include "api/grove/resource_sharing.h"
#include "api/grove/topology_constraint.h"
#include "json/value.h"

namespace coppice::api::grove {

inline constexpr std::string_view kRollingRecreate = "RollingRecreate";
inline constexpr std::string_view kOnDelete = "OnDelete";

inline constexpr std::string_view kStartAnyOrder = "CliqueStartupTypeAnyOrder";
inline constexpr std::string_view kStartInOrder = "CliqueStartupTypeInOrder";
inline constexpr std::string_view kStartExplicit = "CliqueStartupTypeExplicit";

struct UpdateStrategy {
  std::string type;

  friend bool operator==(const UpdateStrategy&, const UpdateStrategy&) = default;
};
BOOST_DESCRIBE_STRUCT(UpdateStrategy, (), (type))

struct HeadlessServiceConfig {
  bool publishNotReadyAddresses = true;

  friend bool operator==(const HeadlessServiceConfig&, const HeadlessServiceConfig&) = default;
};
BOOST_DESCRIBE_STRUCT(HeadlessServiceConfig, (), (publishNotReadyAddresses))

struct PodCliqueTemplate {
  std::string name;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::optional<TopologyConstraint> topologyConstraint;
  std::vector<ResourceSharingSpec> resourceSharing;
  PodCliqueSpec spec;

  friend bool operator==(const PodCliqueTemplate&, const PodCliqueTemplate&) = default;
};
BOOST_DESCRIBE_STRUCT(PodCliqueTemplate, (),
                      (name, labels, annotations, topologyConstraint, resourceSharing, spec))

// Cliques that are scaled together.
struct ScalingGroupConfig {
  std::string name;
  std::vector<std::string> cliqueNames;
  std::map<std::string, std::string> annotations;
  std::optional<int32_t> replicas;
  std::optional<int32_t> minAvailable;
  std::optional<AutoScalingConfig> scaleConfig;
  std::vector<ScalingGroupResourceSharingSpec> resourceSharing;
  std::optional<TopologyConstraint> topologyConstraint;

  int32_t Replicas() const { return replicas.value_or(1); }
  int32_t MinAvailable() const { return minAvailable.value_or(1); }
  bool Contains(std::string_view clique) const;

  friend bool operator==(const ScalingGroupConfig&, const ScalingGroupConfig&) = default;
};
BOOST_DESCRIBE_STRUCT(ScalingGroupConfig, (),
                      (name, cliqueNames, annotations, replicas, minAvailable, scaleConfig,
                       resourceSharing, topologyConstraint))

struct PodCliqueSetTemplate {
  std::vector<PodCliqueTemplate> cliques;
  std::optional<std::string> cliqueStartupType;
  std::optional<std::string> priorityClassName;
  std::optional<HeadlessServiceConfig> headlessServiceConfig;
  std::optional<TopologyConstraint> topologyConstraint;
  std::optional<std::string> terminationDelay;
  std::vector<ResourceClaimTemplateConfig> resourceClaimTemplates;
  std::vector<PodCliqueSetResourceSharingSpec> resourceSharing;
  std::vector<ScalingGroupConfig> podCliqueScalingGroups;

  // Null when there is none.
  const PodCliqueTemplate* FindClique(std::string_view name) const;
  const ScalingGroupConfig* FindGroup(std::string_view name) const;
  // The group that the clique is a member of; null for standalone cliques.
  const ScalingGroupConfig* GroupOf(std::string_view clique) const;
  std::string StartupType() const {
    return cliqueStartupType.value_or(std::string(kStartAnyOrder));
  }

  friend bool operator==(const PodCliqueSetTemplate&, const PodCliqueSetTemplate&) = default;
};
BOOST_DESCRIBE_STRUCT(PodCliqueSetTemplate, (),
                      (cliques, cliqueStartupType, priorityClassName, headlessServiceConfig,
                       topologyConstraint, terminationDelay, resourceClaimTemplates,
                       resourceSharing, podCliqueScalingGroups))

struct PodCliqueSetSpec {
  int32_t replicas = 0;
  std::optional<UpdateStrategy> updateStrategy;
  PodCliqueSetTemplate template_;

  // Any strategy but OnDelete replaces pods by itself.
  bool UpdatesByItself() const { return !updateStrategy || updateStrategy->type != kOnDelete; }

  friend bool operator==(const PodCliqueSetSpec&, const PodCliqueSetSpec&) = default;
};
BOOST_DESCRIBE_STRUCT(PodCliqueSetSpec, (), (replicas, updateStrategy, template_))

struct ReplicaUpdate {
  int32_t replicaIndex = 0;
  std::string updateStartedAt;
  std::optional<std::string> updateEndedAt;

  friend bool operator==(const ReplicaUpdate&, const ReplicaUpdate&) = default;
};
BOOST_DESCRIBE_STRUCT(ReplicaUpdate, (), (replicaIndex, updateStartedAt, updateEndedAt))

struct PodCliqueSetUpdateProgress {
  std::string updateStartedAt;
  std::optional<std::string> updateEndedAt;
  int32_t updatedPodCliquesCount = 0;
  int32_t totalPodCliquesCount = 0;
  int32_t updatedPodCliqueScalingGroupsCount = 0;
  int32_t totalPodCliqueScalingGroupsCount = 0;
  std::vector<ReplicaUpdate> currentlyUpdating;

  friend bool operator==(const PodCliqueSetUpdateProgress&,
                         const PodCliqueSetUpdateProgress&) = default;
};
BOOST_DESCRIBE_STRUCT(PodCliqueSetUpdateProgress, (),
                      (updateStartedAt, updateEndedAt, updatedPodCliquesCount, totalPodCliquesCount,
                       updatedPodCliqueScalingGroupsCount, totalPodCliqueScalingGroupsCount,
                       currentlyUpdating))

struct PodGangSummary {
  std::string name;
  std::string phase;
  std::vector<Condition> conditions;

  friend bool operator==(const PodGangSummary&, const PodGangSummary&) = default;
};
BOOST_DESCRIBE_STRUCT(PodGangSummary, (), (name, phase, conditions))

struct PodCliqueSetStatus {
  std::optional<int64_t> observedGeneration;
  std::vector<Condition> conditions;
  std::vector<LastError> lastErrors;
  int32_t replicas = 0;
  int32_t updatedReplicas = 0;
  int32_t availableReplicas = 0;
  std::optional<std::string> hpaPodSelector;
  std::vector<PodGangSummary> podGangStatuses;
  std::optional<std::string> currentGenerationHash;
  std::optional<PodCliqueSetUpdateProgress> updateProgress;

  // The replica whose pods are being replaced, or null.
  const ReplicaUpdate* CurrentlyUpdating() const;
  bool UpdateRunning() const { return updateProgress && !updateProgress->updateEndedAt; }

  friend bool operator==(const PodCliqueSetStatus&, const PodCliqueSetStatus&) = default;
};
BOOST_DESCRIBE_STRUCT(PodCliqueSetStatus, (),
                      (observedGeneration, conditions, lastErrors, replicas, updatedReplicas,
                       availableReplicas, hpaPodSelector, podGangStatuses, currentGenerationHash,
                       updateProgress))

using PodCliqueSet = Document<PodCliqueSetSpec, PodCliqueSetStatus>;

inline constexpr std::string_view kTopologyLevelsUnavailable = "TopologyLevelsUnavailable";

}  // namespace coppice::api::grove
