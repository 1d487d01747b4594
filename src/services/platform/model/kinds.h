#pragma once

#include "api/well_known.h"

// Kinds that only the platform operator uses.
namespace coppice::services::platform {

inline const api::Resource kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet", true};
inline const api::Resource kDisruptionBudgets{"policy", "v1", "poddisruptionbudgets",
                                              "PodDisruptionBudget", true};
inline const api::Resource kVerticalAutoscalers{
    "autoscaling.k8s.io", "v1", "verticalpodautoscalers", "VerticalPodAutoscaler", true};
inline const api::Resource kPrometheuses{"monitoring.coreos.com", "v1", "prometheuses",
                                         "Prometheus", true};
inline const api::Resource kServiceMonitors{"monitoring.coreos.com", "v1", "servicemonitors",
                                            "ServiceMonitor", true};
inline const api::Resource kClusterPolicies{"nvidia.com", "v1", "clusterpolicies", "ClusterPolicy",
                                            false};

}  // namespace coppice::services::platform
