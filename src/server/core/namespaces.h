#pragma once

#include <string_view>

#include "server/core/core.h"

namespace coppice::server {

// Creates a namespace unless it exists.
base::Status EnsureNamespace(Core& core, std::string_view name);
// What every new namespace gets: the ServiceAccount "default" and the ConfigMap "kube-root-ca.crt".
void FillNamespace(Core& core, std::string_view name);
// What every cluster has besides: the system's priority classes and the API's own service.
base::Status EnsureSystemObjects(Core& core);
// Adds the CA certificate to namespaces that were created before it existed.
void PublishCa(Core& core);

}  // namespace coppice::server
