#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/meta.h"
#include "json/value.h"

namespace coppice::api::grove {

// Bounds and metrics of a HorizontalPodAutoscaler.
struct AutoScalingConfig {
  std::optional<int32_t> minReplicas;
  int32_t maxReplicas = 0;
  std::vector<json::Value> metrics;  // autoscaling/v2 MetricSpec.

  friend bool operator==(const AutoScalingConfig&, const AutoScalingConfig&) = default;
};
BOOST_DESCRIBE_STRUCT(AutoScalingConfig, (), (minReplicas, maxReplicas, metrics))

// Pods of one role. In a set's template `startsAfter` holds clique names, in a live PodClique the
// names of PodCliques.
struct PodCliqueSpec {
  std::string roleName;
  json::Value podSpec;  // view: core/v1.PodSpec
  int32_t replicas = 0;
  std::optional<int32_t> minAvailable;
  std::vector<std::string> startsAfter;
  std::optional<AutoScalingConfig> autoScalingConfig;

  int32_t MinAvailable() const { return minAvailable.value_or(replicas); }

  friend bool operator==(const PodCliqueSpec&, const PodCliqueSpec&) = default;
};
BOOST_DESCRIBE_STRUCT(PodCliqueSpec, (),
                      (roleName, podSpec, replicas, minAvailable, startsAfter, autoScalingConfig))

// Ready pods of an outdated template that were chosen for replacement: the one being replaced and
// those that are done.
struct PodsSelectedToUpdate {
  std::string current;
  std::vector<std::string> completed;

  friend bool operator==(const PodsSelectedToUpdate&, const PodsSelectedToUpdate&) = default;
};
BOOST_DESCRIBE_STRUCT(PodsSelectedToUpdate, (), (current, completed))

struct PodCliqueUpdateProgress {
  std::string updateStartedAt;
  std::optional<std::string> updateEndedAt;
  std::string podCliqueSetGenerationHash;
  std::string podTemplateHash;
  std::optional<PodsSelectedToUpdate> readyPodsSelectedToUpdate;

  bool Running() const { return !updateEndedAt; }

  friend bool operator==(const PodCliqueUpdateProgress&, const PodCliqueUpdateProgress&) = default;
};
BOOST_DESCRIBE_STRUCT(PodCliqueUpdateProgress, (),
                      (updateStartedAt, updateEndedAt, podCliqueSetGenerationHash, podTemplateHash,
                       readyPodsSelectedToUpdate))

struct PodCliqueStatus {
  std::optional<int64_t> observedGeneration;
  std::vector<LastError> lastErrors;
  int32_t replicas = 0;
  int32_t readyReplicas = 0;
  int32_t updatedReplicas = 0;
  int32_t scheduleGatedReplicas = 0;
  int32_t scheduledReplicas = 0;
  std::optional<std::string> hpaPodSelector;
  std::vector<Condition> conditions;
  std::optional<std::string> currentPodCliqueSetGenerationHash;
  std::optional<std::string> currentPodTemplateHash;
  std::optional<PodCliqueUpdateProgress> updateProgress;

  friend bool operator==(const PodCliqueStatus&, const PodCliqueStatus&) = default;
};
BOOST_DESCRIBE_STRUCT(PodCliqueStatus, (),
                      (observedGeneration, lastErrors, replicas, readyReplicas, updatedReplicas,
                       scheduleGatedReplicas, scheduledReplicas, hpaPodSelector, conditions,
                       currentPodCliqueSetGenerationHash, currentPodTemplateHash, updateProgress))

using PodClique = Document<PodCliqueSpec, PodCliqueStatus>;

inline constexpr std::string_view kPodCliqueScheduled = "PodCliqueScheduled";
inline constexpr std::string_view kMinAvailableBreached = "MinAvailableBreached";

}  // namespace coppice::api::grove
