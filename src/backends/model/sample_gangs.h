#pragma once

#include <string>
#include <vector>

#include "backends/model/gang_info.h"
#include "backends/model/topology.h"

namespace coppice::backends {

// A gang that asks for one thing that schedulers can or cannot do.
struct SampleGang {
  std::string wish;  // "gang", "surplus", "requiredGang", …
  PodGangInfo gang;
};

// One gang per thing that can be wished for, the plain gang first. Topology wishes name the two
// narrowest of `levels`.
std::vector<SampleGang> SampleGangs(const TopologyLevels& levels);

// Zones, racks and hosts under the label keys that Kubernetes and most clusters use.
TopologyLevels UsualLevels();

}  // namespace coppice::backends
