#pragma once

#include <vector>

#include "json/value.h"
#include "store/store.h"

namespace coppice::server {

// The EndpointSlices that Kubernetes' controller would write for one port of a Service: of each pod
// that the Service selects and that has an address. For a cluster where no such controller runs.
std::vector<json::Value> SlicesOfPods(const store::Store& store, const json::Value& service,
                                      const json::Value& port);

}  // namespace coppice::server
