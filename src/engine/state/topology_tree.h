#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/state/cluster.h"

namespace coppice::engine {

// The nodes of a cluster arranged by the levels of one topology (docs/behaviour/engine.md S-87).
// Only nodes that have the labels of all levels belong to it.
class TopologyTree {
 public:
  struct Domain {
    std::string id;  // Label values from the widest level down, joined by dots; "root" at the top.
    int level = -1;  // Index of the level; -1 is the root.
    int parent = kNone;
    std::vector<int> children;  // By id.
    std::vector<NodeId> nodes;  // All below, by name.
  };

  TopologyTree(const Cluster& cluster, const TopologySpec& spec);

  const std::vector<Domain>& domains() const { return domains_; }
  const Domain& operator[](int index) const { return domains_[index]; }
  int levels() const { return static_cast<int>(labels_.size()); }
  // kNone if the topology has no such level.
  int LevelOf(NameId label) const;
  // The narrowest domain of the node; kNone if the node does not belong to the tree.
  int LeafOf(NodeId node) const;
  // The ancestor of a domain (or the domain itself) at a level; -1 is the root's level.
  int AncestorAt(int domain, int level) const;

 private:
  std::vector<NameId> labels_;
  std::vector<Domain> domains_;
  std::vector<int32_t> leaf_;
};

}  // namespace coppice::engine
