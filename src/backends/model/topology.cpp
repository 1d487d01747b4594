#include "backends/model/topology.h"

#include "api/view/grove.h"

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
  const view::grove::ClusterTopologyBinding read(binding);
  topology.name = read.metadata().name();
  for (const view::grove::TopologyLevel level : read.spec().levels()) {
    topology.levels.push_back({std::string(level.domain()), std::string(level.key())});
  }
  return topology;
}

std::string TopologyReference(const json::Value& binding, std::string_view scheduler) {
  const auto spec = view::grove::ClusterTopologyBinding(binding).spec();
  for (const auto bound : spec.schedulerTopologyBindings()) {
    if (bound.schedulerName() == scheduler) return std::string(bound.topologyReference());
  }
  return {};
}

bool IsNarrowerOrEqual(const TopologyLevels& levels, std::string_view key, std::string_view than) {
  if (key == than) return true;
  const auto a = levels.IndexOf(key);
  const auto b = levels.IndexOf(than);
  return a && b && *a >= *b;
}

}  // namespace coppice::backends
