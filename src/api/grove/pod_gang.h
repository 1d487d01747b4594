#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/meta.h"

namespace coppice::api::grove {

// Node label keys that pods must (required) or should (preferred) share a value of; "" for none.
struct PackConstraint {
  std::string required;
  std::string preferred;

  bool empty() const { return required.empty() && preferred.empty(); }
  friend bool operator==(const PackConstraint&, const PackConstraint&) = default;
};
BOOST_DESCRIBE_STRUCT(PackConstraint, (), (required, preferred))

struct GangTopologyConstraint {
  std::optional<PackConstraint> packConstraint;

  friend bool operator==(const GangTopologyConstraint&, const GangTopologyConstraint&) = default;
};
BOOST_DESCRIBE_STRUCT(GangTopologyConstraint, (), (packConstraint))

// The pods of one PodClique inside a gang.
struct PodGroup {
  std::string name;
  std::vector<NamespacedName> podReferences;
  int32_t minReplicas = 0;
  std::optional<GangTopologyConstraint> topologyConstraint;

  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};
BOOST_DESCRIBE_STRUCT(PodGroup, (), (name, podReferences, minReplicas, topologyConstraint))

// Pod groups of one scaling-group replica that share a constraint.
struct TopologyConstraintGroupConfig {
  std::string name;
  std::vector<std::string> podGroupNames;
  std::optional<GangTopologyConstraint> topologyConstraint;

  friend bool operator==(const TopologyConstraintGroupConfig&,
                         const TopologyConstraintGroupConfig&) = default;
};
BOOST_DESCRIBE_STRUCT(TopologyConstraintGroupConfig, (), (name, podGroupNames, topologyConstraint))

struct PodGangSpec {
  std::vector<PodGroup> podgroups;
  std::optional<GangTopologyConstraint> topologyConstraint;
  std::vector<TopologyConstraintGroupConfig> topologyConstraintGroupConfigs;
  std::optional<std::string> priorityClassName;
  std::optional<NamespacedName> reuseReservationRef;

  friend bool operator==(const PodGangSpec&, const PodGangSpec&) = default;
};
BOOST_DESCRIBE_STRUCT(PodGangSpec, (),
                      (podgroups, topologyConstraint, topologyConstraintGroupConfigs,
                       priorityClassName, reuseReservationRef))

struct PodGangStatus {
  std::string phase;
  std::vector<Condition> conditions;
  std::optional<double> placementScore;

  friend bool operator==(const PodGangStatus&, const PodGangStatus&) = default;
};
BOOST_DESCRIBE_STRUCT(PodGangStatus, (), (phase, conditions, placementScore))

using PodGang = Document<PodGangSpec, PodGangStatus>;

inline constexpr std::string_view kGangInitialized = "Initialized";
inline constexpr std::string_view kGangScheduled = "Scheduled";
inline constexpr std::string_view kGangReady = "Ready";
inline constexpr std::string_view kGangBackendSynced = "BackendSynced";
inline constexpr std::string_view kGangTranslationDegraded = "TranslationDegraded";
inline constexpr std::string_view kGangUnhealthy = "Unhealthy";
inline constexpr std::string_view kGangDisruptionTarget = "DisruptionTarget";

}  // namespace coppice::api::grove
