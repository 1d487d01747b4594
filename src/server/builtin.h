#pragma once

#include <string_view>

#include "server/registry.h"

namespace coppice::server {

// Adds every kind that this release of Kubernetes serves without CRDs.
void AddBuiltinKinds(std::string_view kubernetes_version, Registry& registry);

}  // namespace coppice::server
