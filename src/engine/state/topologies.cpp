#include "engine/state/topologies.h"

#include "engine/state/topology_tree.h"

namespace coppice::engine {

void Topologies::Put(const TopologySpec& spec) {
  specs_[spec.name] = spec;
  trees_.clear();
}

void Topologies::Remove(std::string_view name) {
  specs_.erase(std::string(name));
  trees_.clear();
}

NameId Topologies::LevelLabel(const std::string& name, const std::string& level,
                              Names& names) const {
  const auto topology = specs_.find(name);
  if (topology != specs_.end()) {
    for (const auto& entry : topology->second.levels) {
      if (!entry.alias.empty() && entry.alias == level) return names.Intern(entry.node_label);
    }
  }
  return names.Intern(level);
}

const TopologyTree* Topologies::TreeOf(const Cluster& cluster, NameId name) {
  auto [found, added] = trees_.try_emplace(name);
  if (added) {
    const auto spec = specs_.find(std::string(cluster.Text(name)));
    if (spec != specs_.end()) {
      found->second = std::make_shared<const TopologyTree>(cluster, spec->second);
    }
  }
  return found->second.get();
}

}  // namespace coppice::engine
