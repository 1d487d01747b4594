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
  // The index of a label key among the levels; nullopt if it is not a level.
  std::optional<size_t> IndexOf(std::string_view key) const;
  // The key of a domain; "" if unknown.
  std::string KeyOf(std::string_view domain) const;
};

TopologyLevels LevelsFromBinding(const json::Value& cluster_topology_binding);
// The topology object that an administrator manages for this scheduler; "" if the binding names
// none.
std::string TopologyReference(const json::Value& cluster_topology_binding,
                              std::string_view scheduler);

// Whether `key` packs at least as tightly as `than`. An unknown key is equal only to itself.
bool IsNarrowerOrEqual(const TopologyLevels& levels, std::string_view key, std::string_view than);

}  // namespace coppice::backends
