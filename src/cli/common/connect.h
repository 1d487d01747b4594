#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "kube/client/client.h"
#include "kube/executor/executor.h"

namespace coppice::cli {

// Which cluster a command talks to: --kubeconfig and --context, else what kubectl would take.
struct ClusterFlags {
  std::string kubeconfig;
  std::string context;
  int max_in_flight = 0;      // Requests at once; 0: as many as the server bears.
  double max_per_second = 0;  // 0: no cap.
};

// `executor` must outlive the client.
base::Result<std::unique_ptr<kube::Client>> Connect(const ClusterFlags& flags,
                                                    kube::Executor& executor);
// The namespace of the context, as kubectl takes it where none is named.
base::Result<std::string> CurrentNamespace(const ClusterFlags& flags, kube::Executor& executor);
// "10.0.0.1:6443": where Connect goes.
base::Result<std::string> ServerHost(const ClusterFlags& flags, kube::Executor& executor);

}  // namespace coppice::cli
