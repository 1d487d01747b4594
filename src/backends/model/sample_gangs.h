#pragma once

#include <string>
#include <vector>

#include "backends/model/gang_info.h"
#include "backends/model/topology.h"

namespace coppice::backends {

// A gang that uses one feature that a scheduler may or may not support.
struct SampleGang {
  std::string wish;  // "gang", "surplus", "requiredGang", …
  PodGangInfo gang;
};

// One gang per feature, the plain gang first. Topology constraints name the two narrowest of
// `levels`.
std::vector<SampleGang> SampleGangs(const TopologyLevels& levels);

// Zones, racks and hosts, with the label keys that Kubernetes and most clusters use.
TopologyLevels UsualLevels();

}  // namespace coppice::backends
