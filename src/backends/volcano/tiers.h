#pragma once

#include <optional>
#include <string>

#include "backends/framework/ladder.h"

// Topology in Volcano's terms: tiers of HyperNodes; the lowest tier is the tightest.
namespace coppice::backends::volcano {

// Whether the scheduler's configuration, if readable, enables the plugin without which Volcano
// silently ignores hard topology.
bool HasTopologyPlugin(const GangInput& input);

// The tier number of a level: 1 for the narrowest level above the nodes. nullopt for the nodes
// themselves, which are no tier, and for unknown keys.
std::optional<int64_t> TierOf(const TopologyLevels& levels, std::string_view key);

// {mode, highestTierName | highestTierAllowed} for a required key; nullopt if no HyperNode has that
// tier, because Volcano would ignore it. Offline, assumes that the levels become the tiers.
std::optional<json::Value> HardTopology(const GangInput& input, const std::string& key);

// HyperNodes for every domain of the binding's levels that has nodes, except domains for which
// someone else already created them.
std::vector<DesiredObject> MakeHyperNodes(const GangInput& input, const json::Value& binding);

}  // namespace coppice::backends::volcano
