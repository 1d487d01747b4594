#pragma once

#include "kube/cache/cache.h"

namespace coppice::services::scheduler {

// What a scheduler needs of a pod (docs/behaviour/scheduler.md S-08): only the identity of pods
// that have ended; requests and constraints of all others, without what containers run.
json::Value StripPod(const json::Value& pod);

// For a scheduler alone in its process: trims pods in the cache. There is no selector to exclude
// failed pods, because another user of pods would then get a separate cache; the engine and
// snapshots skip them.
kube::InformerOptions OwnPodCache();

}  // namespace coppice::services::scheduler
