#include "backends/model/topology.h"

#include "kube/object.h"

namespace coppice::backends {

std::optional<size_t> TopologyLevels::IndexOf(std::string_view key) const {
  for (size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].key == key) return i;
  }
  return std::nullopt;
}

std::string TopologyLevels::KeyOf(std::string_view domain) const {
  for (const TopologyLevel& level : levels) {
    if (level.domain == domain) return level.key;
  }
  return {};
}

TopologyLevels LevelsFromBinding(const json::Value& binding) {
  TopologyLevels topology;
  topology.name = kube::Name(binding);
  for (const json::Value& level : binding["spec"]["levels"].Items()) {
    topology.levels.push_back({level["domain"].ToString(), level["key"].ToString()});
  }
  return topology;
}

bool IsNarrowerOrEqual(const TopologyLevels& levels, std::string_view key, std::string_view than) {
  if (key == than) return true;
  const auto a = levels.IndexOf(key);
  const auto b = levels.IndexOf(than);
  return a && b && *a >= *b;
}

}  // namespace coppice::backends
