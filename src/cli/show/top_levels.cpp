#include "cli/show/top_levels.h"

#include "api/labels.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "cli/common/list_or_none.h"

namespace coppice::cli {
namespace {

// "topo/rack" is a rack.
std::string LevelName(view::kai::TopologyLevel level) {
  if (!level.alias().empty()) return std::string(level.alias());
  const std::string_view label = level.nodeLabel();
  const size_t slash = label.rfind('/');
  return std::string(slash == label.npos ? label : label.substr(slash + 1));
}

std::vector<TopLevel> LevelsOf(const json::Value& topology) {
  std::vector<TopLevel> levels;
  for (const auto level : view::kai::Topology(topology).spec().levels()) {
    if (level.nodeLabel() == api::labels::kHostname) continue;
    levels.push_back({LevelName(level), std::string(level.nodeLabel())});
  }
  return levels;
}

}  // namespace

base::Result<std::vector<TopLevel>> ReadTopLevels(kube::Client& client) {
  std::vector<TopLevel> levels = {{"zone", std::string(api::labels::kZone)}};
  const auto topologies = ListOrNone(client, api::kTopologies, "");
  if (topologies.Is(base::ErrorCode::kForbidden)) return levels;
  if (!topologies) return topologies.error();
  for (const json::Value& topology : *topologies) {
    std::vector<TopLevel> own = LevelsOf(topology);
    if (own.size() >= levels.size()) levels = std::move(own);
  }
  return levels;
}

}  // namespace coppice::cli
