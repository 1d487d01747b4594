#pragma once

#include "api/resource.h"
#include "json/value.h"

namespace coppice::operators {

// The resource of an object that tests create.
api::Resource ResourceOf(const json::Value& object);
// By kind alone; the group tells kinds of the same name apart.
api::Resource ResourceOfKind(std::string_view kind, std::string_view group = {});

// As NVIDIA's DRA driver brings it, with no schema.
json::Value ComputeDomainCrd();

}  // namespace coppice::operators
