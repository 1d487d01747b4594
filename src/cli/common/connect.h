#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client/client.h"
#include "kube/executor/executor.h"

namespace coppice::cli {

// The cluster that a command talks to, and as whom: --kubeconfig, --context, --as and --as-group,
// else the same defaults as kubectl.
struct ClusterFlags {
  std::string kubeconfig;
  std::string context;
  std::string as;                      // The user to impersonate; "": none.
  std::vector<std::string> as_groups;  // Their groups.
  int max_in_flight = 0;               // Concurrent requests; 0: as many as the server handles.
  double max_per_second = 0;           // 0: no cap.
};

// `executor` must outlive the client.
base::Result<std::unique_ptr<kube::Client>> Connect(const ClusterFlags& flags,
                                                    kube::Executor& executor);
// The context's namespace, which kubectl uses if none is given.
base::Result<std::string> CurrentNamespace(const ClusterFlags& flags, kube::Executor& executor);
// "10.0.0.1:6443": the server that Connect uses.
base::Result<std::string> ServerHost(const ClusterFlags& flags, kube::Executor& executor);

}  // namespace coppice::cli
