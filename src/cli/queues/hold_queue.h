#pragma once

#include "base/result.h"
#include "json/value.h"

namespace coppice::cli {

// KAI's Queue has no switch for it, so a queue on hold has a limit of 0 for GPUs, CPU and memory: a
// scheduler then starts nothing of the queue or its children that requests any of them, and leaves
// running what runs. An annotation keeps the limits for Resume. While it is on hold, the queue's
// fair share is 0, so that other queues may reclaim what it holds beyond its quota.
//
// Both are merge patches of the queue; null if there is nothing to do.
json::Value HoldPatch(const json::Value& queue);
// Fails if the annotation cannot be read.
base::Result<json::Value> ResumePatch(const json::Value& queue);

bool IsOnHold(const json::Value& queue);

}  // namespace coppice::cli
