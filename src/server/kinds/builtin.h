#pragma once

#include <string_view>

#include "server/model/registry.h"

namespace coppice::server {

// Adds every kind that this release of Kubernetes serves without CRDs.
void AddBuiltinKinds(std::string_view kubernetes_version, Registry& registry);

// Whether a group has a resource or a kind of this name without CRDs, in any version.
bool IsBuiltin(std::string_view group, std::string_view plural_or_kind);

// 33 for "1.33.2"; the oldest known release if there is none.
int MinorRelease(std::string_view kubernetes_version);

}  // namespace coppice::server
