#include "page/facts/levels.h"

#include <algorithm>

#include "api/foreign/node_places.h"
#include "api/labels.h"
#include "api/view/kai.h"

namespace coppice::page {
namespace {

// Widest first. Clouds and site operators label their nodes like this.
constexpr std::string_view kKnownLevels[] = {
    api::labels::kRegion,
    api::labels::kZone,
    "topo/datacenter",
    api::foreign::kBlock,
    "topo/block",
    api::foreign::kGoogleBlock,
    api::foreign::kNvidiaSpine,
    api::foreign::kRack,
    "topo/rack",
    api::foreign::kGoogleSubBlock,
    api::foreign::kNvidiaLeaf,
    api::foreign::kNvidiaClique,
};

bool AnyHas(const std::map<std::string, NodeFacts>& nodes, std::string_view label) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const auto& node) { return node.second.labels.Has(label); });
}

}  // namespace

std::vector<std::string> ReadLevels(const json::Value& topology) {
  std::vector<std::string> out;
  for (const view::kai::TopologyLevel level : view::kai::Topology(topology).spec().levels()) {
    if (level.nodeLabel() != api::labels::kHostname) out.emplace_back(level.nodeLabel());
  }
  return out;
}

std::vector<std::string> GuessLevels(const std::map<std::string, NodeFacts>& nodes) {
  std::vector<std::string> out;
  for (const std::string_view label : kKnownLevels) {
    if (AnyHas(nodes, label)) out.emplace_back(label);
  }
  return out;
}

std::vector<std::string> LevelsOf(const std::map<std::string, std::vector<std::string>>& topologies,
                                  const std::map<std::string, NodeFacts>& nodes) {
  std::vector<std::string> best;
  for (const auto& [name, levels] : topologies) {
    const bool used = std::any_of(levels.begin(), levels.end(),
                                  [&](const std::string& label) { return AnyHas(nodes, label); });
    if (used && levels.size() > best.size()) best = levels;
  }
  return best.empty() ? GuessLevels(nodes) : best;
}

}  // namespace coppice::page
