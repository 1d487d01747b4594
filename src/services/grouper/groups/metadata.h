#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/view/view.h"
#include "json/value.h"

namespace coppice::services::grouper {

using StringMap = std::map<std::string, std::string, std::less<>>;

struct TopologyConstraint {
  std::string topology;
  std::string required_level;
  std::string preferred_level;

  bool HasLevel() const { return !required_level.empty() || !preferred_level.empty(); }
};

struct SubGroup {
  std::string name;
  std::string parent;
  // An inner node counts its children, a leaf its pods.
  std::optional<int64_t> min_sub_group;
  int64_t min_available = 0;
  std::optional<TopologyConstraint> topology;
  std::vector<std::string> pods;
};

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
};

// The desired PodGroup of a pod, before it is merged with the existing one.
struct Metadata {
  std::string name;
  std::string ns;
  StringMap labels;
  StringMap annotations;
  OwnerReference owner;
  std::string queue;
  std::string priority_class;
  std::string preemptibility;
  std::optional<std::string> preemption_delay;
  std::optional<std::string> staleness_grace_period;
  TopologyConstraint topology;
  int64_t min_available = 1;
  std::optional<int64_t> min_sub_group;
  std::vector<SubGroup> sub_groups;

  SubGroup* FindSubGroup(std::string_view sub_group);
  // The sub-group that lists the pod, or null.
  const SubGroup* SubGroupOfPod(std::string_view pod_name) const;
};

OwnerReference ReferenceTo(const json::Value& object);
StringMap ReadMap(view::Map<std::string_view> map);

// The PodGroup object of this metadata, as it is created.
json::Value ToPodGroup(const Metadata& metadata);

}  // namespace coppice::services::grouper
