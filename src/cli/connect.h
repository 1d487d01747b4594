#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "kube/client.h"
#include "kube/executor.h"

namespace coppice::cli {

// Which cluster a command talks to: --kubeconfig and --context, else what kubectl would take.
struct ClusterFlags {
  std::string kubeconfig;
  std::string context;
};

// `executor` must outlive the client.
base::Result<std::unique_ptr<kube::Client>> Connect(const ClusterFlags& flags,
                                                    kube::Executor& executor);

}  // namespace coppice::cli
