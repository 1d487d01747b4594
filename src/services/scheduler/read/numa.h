#pragma once

#include "api/resource.h"
#include "engine/model/input.h"
#include "json/value.h"

// NUMA zones of nodes, as node agents publish them (docs/behaviour/engine.md S-96).
namespace coppice::services::scheduler {

inline const api::Resource kNodeResourceTopologies{
    "topology.node.k8s.io", "v1alpha2", "noderesourcetopologies", "NodeResourceTopology", false};

// Of a NodeResourceTopology. Zones come in the order of the number at the end of their names.
engine::NumaTopology ReadNumaTopology(const json::Value& object);

}  // namespace coppice::services::scheduler
