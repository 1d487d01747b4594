#pragma once

#include <string_view>

#include "server/core/core.h"

namespace coppice::server {

inline constexpr std::string_view kCrdStorage = "apiextensions.k8s.io/customresourcedefinitions";

// Makes the versions of a CustomResourceDefinition that was written or deleted available as the
// store has it now, and nothing else of it.
void ServeCrd(Core& core, std::string_view name);
// At start: everything that the store holds.
void ServeStoredCrds(Core& core);

}  // namespace coppice::server
