#pragma once

#include <functional>
#include <string>

#include "api/resource.h"
#include "base/result.h"
#include "kube/client/client.h"
#include "services/reservation/gpus.h"

namespace coppice::services::reservation {

using ListGpus = std::function<base::Result<std::vector<Gpu>>()>;

// What the program in a reservation pod does at start: finds the one GPU it was given and writes
// its id on its own pod. Safe to repeat after a restart.
base::Status ReportGpu(kube::Client& client, const api::ObjectKey& own_pod, const ListGpus& list);

}  // namespace coppice::services::reservation
