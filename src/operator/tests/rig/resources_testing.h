#pragma once

#include "api/resource.h"
#include "json/value.h"

namespace coppice::operators {

// The resource of an object that tests create.
api::Resource ResourceOf(const json::Value& object);
// By kind alone; the group distinguishes kinds with the same name.
api::Resource ResourceOfKind(std::string_view kind, std::string_view group = {});

// As in NVIDIA's DRA driver, without a schema.
json::Value ComputeDomainCrd();

}  // namespace coppice::operators
