#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "page/facts/node_facts.h"

namespace coppice::page {

// Where nodes are in the topology.
class Places {
 public:
  // `levels`: node labels, widest first.
  Places(const std::map<std::string, NodeFacts>& nodes, const std::vector<std::string>& levels);

  // The domains of a node, widest first; a level that it has no label for is "".
  const std::vector<std::string>& PathOf(std::string_view node) const;

  // What all these nodes have in common, in a few words: "node-3", "rack-1 (2 nodes)", "5 nodes".
  // Sorts and deduplicates them.
  std::string Describe(std::vector<std::string_view>& nodes) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> paths_;
};

}  // namespace coppice::page
