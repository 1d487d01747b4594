#pragma once

#include <functional>

#include "cli/answers/asked_cluster.h"

namespace coppice::cli {

// Reads the snapshot or the cluster that the flags name, and passes it on.
base::Status AskCluster(const AskedFlags& flags,
                        const std::function<base::Status(AskedCluster&)>& ask);

}  // namespace coppice::cli
