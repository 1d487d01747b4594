#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// A level of the topology: "rack", and the node label with the rack's name.
struct TopLevel {
  std::string name;
  std::string label;
};

// Widest first, without the node itself: those of the cluster's Topology, else the zone. Several
// Topologies: the one with most levels.
base::Result<std::vector<TopLevel>> ReadTopLevels(kube::Client& client);

}  // namespace coppice::cli
