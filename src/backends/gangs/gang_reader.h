#pragma once

#include "backends/framework/selection.h"
#include "backends/gangs/cache_view.h"

namespace coppice::backends {

// Reads everything that a decision about a gang needs from the shared cache.
class GangReader {
 public:
  explicit GangReader(ClusterState& state) : state_(state) {}

  // `pod_gang` as stored; its set and topology are looked up.
  GangInput Read(const json::Value& pod_gang, const Selection& selection,
                 const CompatibilityPolicy& policy) const;
  // For a gang of this set. If it is not stored yet, it has no uid.
  GangInput ReadByName(const json::Value& set, const std::string& gang, const Selection& selection,
                       const CompatibilityPolicy& policy) const;
  // All gangs that a set asks for, as if they were about to be created.
  std::vector<GangInput> ReadPlanned(const json::Value& set, const TopologyLevels& levels,
                                     const Selection& selection,
                                     const CompatibilityPolicy& policy) const;

 private:
  GangInput Prepare(PodGangInfo gang, const json::Value& set, const Selection& selection,
                    const CompatibilityPolicy& policy) const;

  ClusterState& state_;
};

// The first topology that a set names, at any level; "" if none.
std::string TopologyNameOf(const json::Value& pod_clique_set);

}  // namespace coppice::backends
