#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "kube/config/cluster_config.h"

namespace coppice::kube {

struct KubeconfigOptions {
  // A file, or several separated by ':' as in KUBECONFIG. Empty: the environment's KUBECONFIG, then
  // ~/.kube/config.
  std::string path;
  std::string context;  // Empty: the current one.
};

// Reads kubeconfig files and merges them as kubectl does: of equal names the first file wins, as
// does the first current-context; files that are missing are skipped when there are several.
// `clock` must outlive the configuration.
base::Result<ClusterConfig> LoadKubeconfig(const KubeconfigOptions& options,
                                           const base::Clock& clock);

// For a pod: address from the environment, CA and token from the service account's files. NotFound
// outside a pod.
base::Result<ClusterConfig> InClusterConfig(
    const base::Clock& clock,
    const std::string& dir = "/var/run/secrets/kubernetes.io/serviceaccount");

// A kubeconfig where one is named (options or KUBECONFIG), else the pod's, else ~/.kube/config.
base::Result<ClusterConfig> LoadClusterConfig(const KubeconfigOptions& options,
                                              const base::Clock& clock);

}  // namespace coppice::kube
