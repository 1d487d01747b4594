#pragma once

#include <map>
#include <string>
#include <vector>

#include "json/value.h"
#include "page/facts/node_facts.h"

namespace coppice::page {

// The node labels of a Topology (KAI's or Kueue's), widest first, without the host.
std::vector<std::string> ReadLevels(const json::Value& topology);

// Common labels of zones, blocks and racks, for clusters without a Topology; only those that some
// node has.
std::vector<std::string> GuessLevels(const std::map<std::string, NodeFacts>& nodes);

// The levels with the most labels of all topologies, or the guessed ones.
std::vector<std::string> LevelsOf(const std::map<std::string, std::vector<std::string>>& topologies,
                                  const std::map<std::string, NodeFacts>& nodes);

}  // namespace coppice::page
