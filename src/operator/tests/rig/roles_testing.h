#pragma once

#include "api/resource.h"

// For tests of the operator's permissions.
namespace coppice::operators {

inline const api::Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles",
                                         "ClusterRole", false};
inline const api::Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1",
                                                "clusterrolebindings", "ClusterRoleBinding", false};

}  // namespace coppice::operators
