#pragma once

#include <optional>
#include <string>

#include "backends/framework/ladder.h"

// Topology in Volcano's terms: tiers of HyperNodes, the lowest being the tightest.
namespace coppice::backends::volcano {

// Whether the scheduler's configuration, as far as it can be read, has the plugin without which
// hard topology is ignored without a word.
bool HasTopologyPlugin(const GangInput& input);

// Tier number of a level: 1 for the narrowest one above the nodes. Nothing for the nodes
// themselves, which are no tier, and for unknown keys.
std::optional<int64_t> TierOf(const TopologyLevels& levels, std::string_view key);

// {mode, highestTierName | highestTierAllowed} for a required key; nothing when no HyperNode has
// that tier, for then Volcano ignores it. Offline the levels are taken for the tiers to come.
std::optional<json::Value> HardTopology(const GangInput& input, const std::string& key);

// HyperNodes for every domain of a binding's levels that nodes are in, except where others made
// them already.
std::vector<DesiredObject> MakeHyperNodes(const GangInput& input, const json::Value& binding);

}  // namespace coppice::backends::volcano
