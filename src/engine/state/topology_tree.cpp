#include "engine/state/topology_tree.h"

#include <algorithm>

namespace coppice::engine {

TopologyTree::TopologyTree(const Cluster& cluster, const TopologySpec& spec) {
  for (const auto& level : spec.levels) {
    const NameId name = cluster.names().Find(level.node_label);
    labels_.push_back(name);
  }
  domains_.push_back({"root", -1, kNone, {}, {}});
  leaf_.assign(cluster.nodes().size(), kNone);
  std::map<std::string, int> by_id;
  for (NodeId node : cluster.node_order()) {
    std::vector<std::string_view> values;
    for (const auto& level : spec.levels) {
      const auto value = cluster.LabelsOf(node).Find(level.node_label);
      if (!value) break;
      values.push_back(*value);
    }
    if (values.size() < spec.levels.size()) continue;
    int at = 0;
    domains_[0].nodes.push_back(node);
    std::string id;
    for (size_t level = 0; level < values.size(); ++level) {
      id.append(level ? "." : "").append(values[level]);
      auto [found, added] = by_id.try_emplace(id, static_cast<int>(domains_.size()));
      if (added) {
        domains_.push_back({id, static_cast<int>(level), at, {}, {}});
        domains_[at].children.push_back(found->second);
      }
      at = found->second;
      domains_[at].nodes.push_back(node);
    }
    leaf_[node] = at;
  }
  for (auto& domain : domains_) {
    std::sort(domain.children.begin(), domain.children.end(),
              [&](int a, int b) { return domains_[a].id < domains_[b].id; });
  }
}

int TopologyTree::LevelOf(NameId label) const {
  auto found = std::find(labels_.begin(), labels_.end(), label);
  return found == labels_.end() ? kNone : static_cast<int>(found - labels_.begin());
}

// Nodes that were named by pods later are in no tree.
int TopologyTree::LeafOf(NodeId node) const {
  return node < static_cast<NodeId>(leaf_.size()) ? leaf_[node] : kNone;
}

int TopologyTree::AncestorAt(int domain, int level) const {
  while (domains_[domain].level > level) domain = domains_[domain].parent;
  return domain;
}

}  // namespace coppice::engine
