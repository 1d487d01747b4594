#pragma once

#include "base/result.h"
#include "json/value.h"
#include "page/cluster/cluster.h"
#include "page/facts/workload_id.h"

namespace coppice::page {

// The page of one workload (view::page::Detail): its pods, timeline, events and YAML. Not found if
// nothing has this name. What the user may not read is left out, and the message says so.
base::Result<json::Value> ReadDetail(Cluster& cluster, const WorkloadId& id);

}  // namespace coppice::page
