#pragma once

#include "kube/cache/cache.h"

namespace coppice::services::scheduler {

// What a scheduler needs of a pod (docs/behaviour/scheduler.md S-08): of one that has ended who it
// was, of all others what is asked for, without what containers do with it.
json::Value StripPod(const json::Value& pod);

// Of a scheduler that shares its process, and so its cache, with nobody: pods are stripped. No
// selector keeps out those that failed, since whoever else asks for pods would then get a cache of
// its own; the engine and snapshots do without them.
kube::InformerOptions OwnPodCache();

}  // namespace coppice::services::scheduler
