#pragma once

#include <memory>

#include "kube/client/client.h"
#include "kube/executor/task_scope.h"

namespace coppice::page {

// A watch that brings nothing. If `lasts` is positive, it then ends as a watch whose version is too
// old, so that its owner lists again.
std::unique_ptr<kube::Watch> MakeIdleWatch(kube::WatchSink& sink, kube::TaskScope& scope,
                                           base::Duration lasts);

}  // namespace coppice::page
