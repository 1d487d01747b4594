#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/meta.h"

namespace coppice::api::grove {

struct ScalingGroupSpec {
  int32_t replicas = 0;
  std::optional<int32_t> minAvailable;
  std::vector<std::string> cliqueNames;

  int32_t MinAvailable() const { return minAvailable.value_or(1); }

  friend bool operator==(const ScalingGroupSpec&, const ScalingGroupSpec&) = default;
};
BOOST_DESCRIBE_STRUCT(ScalingGroupSpec, (), (replicas, minAvailable, cliqueNames))

struct ReplicasSelectedToUpdate {
  int32_t current = 0;
  std::vector<int32_t> completed;

  friend bool operator==(const ReplicasSelectedToUpdate&,
                         const ReplicasSelectedToUpdate&) = default;
};
BOOST_DESCRIBE_STRUCT(ReplicasSelectedToUpdate, (), (current, completed))

struct ScalingGroupUpdateProgress {
  std::string updateStartedAt;
  std::optional<std::string> updateEndedAt;
  std::string podCliqueSetGenerationHash;
  int32_t updatedPodCliquesCount = 0;
  int32_t totalPodCliquesCount = 0;
  std::optional<ReplicasSelectedToUpdate> readyReplicaIndicesSelectedToUpdate;

  bool Running() const { return !updateEndedAt; }

  friend bool operator==(const ScalingGroupUpdateProgress&,
                         const ScalingGroupUpdateProgress&) = default;
};
BOOST_DESCRIBE_STRUCT(ScalingGroupUpdateProgress, (),
                      (updateStartedAt, updateEndedAt, podCliqueSetGenerationHash,
                       updatedPodCliquesCount, totalPodCliquesCount,
                       readyReplicaIndicesSelectedToUpdate))

struct ScalingGroupStatus {
  int32_t replicas = 0;
  int32_t scheduledReplicas = 0;
  int32_t availableReplicas = 0;
  int32_t updatedReplicas = 0;
  std::optional<std::string> selector;
  std::optional<int64_t> observedGeneration;
  std::vector<LastError> lastErrors;
  std::vector<Condition> conditions;
  std::optional<std::string> currentPodCliqueSetGenerationHash;
  std::optional<ScalingGroupUpdateProgress> updateProgress;

  friend bool operator==(const ScalingGroupStatus&, const ScalingGroupStatus&) = default;
};
BOOST_DESCRIBE_STRUCT(ScalingGroupStatus, (),
                      (replicas, scheduledReplicas, availableReplicas, updatedReplicas, selector,
                       observedGeneration, lastErrors, conditions,
                       currentPodCliqueSetGenerationHash, updateProgress))

using PodCliqueScalingGroup = Document<ScalingGroupSpec, ScalingGroupStatus>;

inline constexpr std::string_view kGangTerminationInProgress = "GangTerminationInProgress";

}  // namespace coppice::api::grove
