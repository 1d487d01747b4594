#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/cluster_topology_binding.h"
#include "backends/model/gang_info.h"

namespace coppice::backends {

using api::grove::TopologyLevel;

// A topology, broadest level first.
struct TopologyLevels {
  std::string name;
  std::vector<TopologyLevel> levels;

  bool empty() const { return levels.empty(); }
  // Place of a label key among the levels; nothing when it is not one of them.
  std::optional<size_t> IndexOf(std::string_view key) const;
  // The key of a domain; "" when unknown.
  std::string KeyOf(std::string_view domain) const;
};

TopologyLevels LevelsFromBinding(const json::Value& cluster_topology_binding);
// The topology object that an administrator manages for this scheduler; "" when the binding names
// none.
std::string TopologyReference(const json::Value& cluster_topology_binding,
                              std::string_view scheduler);

// True when `key` packs at least as tightly as `than` (an unknown key compares equal only to
// itself).
bool IsNarrowerOrEqual(const TopologyLevels& levels, std::string_view key, std::string_view than);

}  // namespace coppice::backends
