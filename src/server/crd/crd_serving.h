#pragma once

#include <string_view>

#include "server/core/core.h"

namespace coppice::server {

inline constexpr std::string_view kCrdStorage = "apiextensions.k8s.io/customresourcedefinitions";

// Updates the served versions of a CustomResourceDefinition to its current state in the store.
void ServeCrd(Core& core, std::string_view name);
// At startup: for all definitions in the store.
void ServeStoredCrds(Core& core);

}  // namespace coppice::server
