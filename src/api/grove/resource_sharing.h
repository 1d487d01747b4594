#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace coppice::api::grove {

inline constexpr std::string_view kScopeAllReplicas = "AllReplicas";
inline constexpr std::string_view kScopePerReplica = "PerReplica";

// A claim template that lives inside the set.
struct ResourceClaimTemplateConfig {
  std::string name;
  json::Value templateSpec;  // view: resource/v1.ResourceClaimTemplateSpec

  friend bool operator==(const ResourceClaimTemplateConfig&,
                         const ResourceClaimTemplateConfig&) = default;
};
BOOST_DESCRIBE_STRUCT(ResourceClaimTemplateConfig, (), (name, templateSpec))

// A claim shared by the pods of a clique.
struct ResourceSharingSpec {
  std::string name;
  std::optional<std::string> namespace_;
  std::string scope;

  friend bool operator==(const ResourceSharingSpec&, const ResourceSharingSpec&) = default;
};
BOOST_DESCRIBE_STRUCT(ResourceSharingSpec, (), (name, namespace_, scope))

struct PodCliqueSetSharingFilter {
  std::vector<std::string> childCliqueNames;
  std::vector<std::string> childScalingGroupNames;

  friend bool operator==(const PodCliqueSetSharingFilter&,
                         const PodCliqueSetSharingFilter&) = default;
};
BOOST_DESCRIBE_STRUCT(PodCliqueSetSharingFilter, (), (childCliqueNames, childScalingGroupNames))

struct PodCliqueSetResourceSharingSpec {
  std::string name;
  std::optional<std::string> namespace_;
  std::string scope;
  std::optional<PodCliqueSetSharingFilter> filter;

  friend bool operator==(const PodCliqueSetResourceSharingSpec&,
                         const PodCliqueSetResourceSharingSpec&) = default;
};
BOOST_DESCRIBE_STRUCT(PodCliqueSetResourceSharingSpec, (), (name, namespace_, scope, filter))

struct ScalingGroupSharingFilter {
  std::vector<std::string> childCliqueNames;

  friend bool operator==(const ScalingGroupSharingFilter&,
                         const ScalingGroupSharingFilter&) = default;
};
BOOST_DESCRIBE_STRUCT(ScalingGroupSharingFilter, (), (childCliqueNames))

struct ScalingGroupResourceSharingSpec {
  std::string name;
  std::optional<std::string> namespace_;
  std::string scope;
  std::optional<ScalingGroupSharingFilter> filter;

  friend bool operator==(const ScalingGroupResourceSharingSpec&,
                         const ScalingGroupResourceSharingSpec&) = default;
};
BOOST_DESCRIBE_STRUCT(ScalingGroupResourceSharingSpec, (), (name, namespace_, scope, filter))

}  // namespace coppice::api::grove
