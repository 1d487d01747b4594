#pragma once

#include "kube/cache.h"

namespace coppice::services::scheduler {

// What a scheduler needs of a pod (spec/scheduler.md 1.6): of one that has succeeded who it was, of
// all others what is asked for, without what containers do with it.
json::Value StripPod(const json::Value& pod);

// Of a scheduler that shares its process, and so its cache, with nobody: no pods that failed, and
// the others stripped.
kube::InformerOptions OwnPodCache();

}  // namespace coppice::services::scheduler
