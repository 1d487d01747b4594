#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/pod_gang.h"
#include "api/resource.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::backends {

using NamespacedName = api::ObjectKey;
using api::grove::PackConstraint;

// One role of a gang: the pods of one PodClique. The members after `topology` are not part of a
// PodGang; they come from the set's template and are empty if it is unknown.
struct PodGroupInfo {
  std::string name;  // The PodClique's name.
  int64_t min_replicas = 0;
  std::vector<NamespacedName> pod_references;
  PackConstraint topology;

  std::string clique_template;        // The template's name in the set.
  int64_t replicas = 0;               // All pods of the role, including surplus.
  int64_t template_min_replicas = 0;  // min_replicas before the gang was released.
  json::Value pod_spec;               // The template's pod spec.
  json::Value labels, annotations;    // Of the clique template.
  std::string scaling_group;          // "" outside scaling groups.
  int64_t scaling_group_replica = 0;

  // The last non-zero minimum: used for status, and for schedulers that never release a gang.
  int64_t LastMinimum() const { return min_replicas > 0 ? min_replicas : template_min_replicas; }

  friend bool operator==(const PodGroupInfo&, const PodGroupInfo&) = default;
};

// Groups that share a constraint: one replica of a scaling group.
struct TopologyGroupConfig {
  std::string name;
  std::vector<std::string> pod_group_names;
  PackConstraint topology;

  friend bool operator==(const TopologyGroupConfig&, const TopologyGroupConfig&) = default;
};

// The input of every backend: a PodGang as a value.
struct PodGangInfo {
  std::string name;
  std::string ns;
  std::string uid;  // "" before the gang exists.
  int64_t generation = 0;
  json::Value labels = json::Value::Object();
  json::Value annotations = json::Value::Object();
  std::vector<PodGroupInfo> pod_groups;
  PackConstraint topology;
  std::vector<TopologyGroupConfig> group_configs;
  std::string topology_name;  // The ClusterTopologyBinding that defines the constraints' keys.
  std::string priority_class_name;
  std::optional<NamespacedName> reuse_reservation;
  std::string base_gang;  // Set on scaled gangs: their pods wait for this gang.

  const PodGroupInfo* FindGroup(std::string_view group) const;
  // The config that lists `group`, or null.
  const TopologyGroupConfig* ConfigOf(std::string_view group) const;
  int64_t TotalMinReplicas() const;
};

// The ClusterTopologyBinding named by a gang's annotations; "" if none.
std::string_view TopologyNameIn(const json::Value& annotations);

// Reads a PodGang object. Never fails; ValidateTree detects an invalid tree.
PodGangInfo GangFromObject(const json::Value& pod_gang);
// The spec of a PodGang object (podgroups, topologyConstraint, …), as the operator writes it.
json::Value GangSpec(const PodGangInfo& gang);
// The first rule of PodGang trees that `gang` violates, with its path: a group in two configs, an
// unknown or repeated name, a pod of another namespace.
base::Status ValidateTree(const PodGangInfo& gang);

}  // namespace coppice::backends
