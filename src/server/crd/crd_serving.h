#pragma once

#include <string_view>

#include "server/core.h"

namespace coppice::server {

inline constexpr std::string_view kCrdStorage = "apiextensions.k8s.io/customresourcedefinitions";

// Makes the versions of a CustomResourceDefinition available, replacing what it said before.
void ServeCrd(Core& core, const json::Value& crd);
void StopServingCrd(Core& core, const json::Value& crd);
// At start: everything that the store holds.
void ServeStoredCrds(Core& core);

}  // namespace coppice::server
