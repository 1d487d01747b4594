#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/meta.h"

namespace coppice::api::grove {

// One level of a cluster's topology: its name for users, and its node label.
struct TopologyLevel {
  std::string domain;
  std::string key;

  friend bool operator==(const TopologyLevel&, const TopologyLevel&) = default;
};
BOOST_DESCRIBE_STRUCT(TopologyLevel, (), (domain, key))

// A scheduler's own topology object that is managed externally.
struct SchedulerTopologyBinding {
  std::string schedulerName;
  std::string topologyReference;

  friend bool operator==(const SchedulerTopologyBinding&,
                         const SchedulerTopologyBinding&) = default;
};
BOOST_DESCRIBE_STRUCT(SchedulerTopologyBinding, (), (schedulerName, topologyReference))

// Levels go from broadest to narrowest.
struct ClusterTopologyBindingSpec {
  std::vector<TopologyLevel> levels;
  std::vector<SchedulerTopologyBinding> schedulerTopologyBindings;

  friend bool operator==(const ClusterTopologyBindingSpec&,
                         const ClusterTopologyBindingSpec&) = default;
};
BOOST_DESCRIBE_STRUCT(ClusterTopologyBindingSpec, (), (levels, schedulerTopologyBindings))

struct SchedulerTopologyStatus {
  std::string schedulerName;
  std::string topologyReference;
  bool inSync = false;
  std::optional<int64_t> schedulerBackendTopologyObservedGeneration;
  std::optional<std::string> message;

  friend bool operator==(const SchedulerTopologyStatus&, const SchedulerTopologyStatus&) = default;
};
BOOST_DESCRIBE_STRUCT(SchedulerTopologyStatus, (),
                      (schedulerName, topologyReference, inSync,
                       schedulerBackendTopologyObservedGeneration, message))

struct ClusterTopologyBindingStatus {
  std::optional<int64_t> observedGeneration;
  std::vector<Condition> conditions;
  std::vector<SchedulerTopologyStatus> schedulerTopologyStatuses;

  friend bool operator==(const ClusterTopologyBindingStatus&,
                         const ClusterTopologyBindingStatus&) = default;
};
BOOST_DESCRIBE_STRUCT(ClusterTopologyBindingStatus, (),
                      (observedGeneration, conditions, schedulerTopologyStatuses))

using ClusterTopologyBinding = Document<ClusterTopologyBindingSpec, ClusterTopologyBindingStatus>;

inline constexpr std::string_view kSchedulerTopologyDrift = "SchedulerTopologyDrift";

}  // namespace coppice::api::grove
