#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/model/input.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

class Cluster;
class TopologyTree;

// Topologies by name, and the nodes arranged by them. A tree is built on first use and dropped when
// a topology, the set of nodes or their labels change; until then its address is stable.
class Topologies {
 public:
  void Put(const TopologySpec& spec);
  void Remove(std::string_view name);
  // Call when nodes came, went or changed their labels.
  void NodesChanged() { trees_.clear(); }

  const std::map<std::string, TopologySpec>& specs() const { return specs_; }
  // The node label of a level, which may be given by its alias.
  NameId LevelLabel(const std::string& topology, const std::string& level, Names& names) const;
  // Null if there is no such topology.
  const TopologyTree* TreeOf(const Cluster& cluster, NameId name);

 private:
  std::map<std::string, TopologySpec> specs_;
  std::map<NameId, std::shared_ptr<const TopologyTree>> trees_;
};

}  // namespace coppice::engine
