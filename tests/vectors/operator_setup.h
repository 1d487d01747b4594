#pragma once

#include <memory>
#include <vector>

#include "api/resource.h"
#include "json/value.h"
#include "operator/tests/rig/world_testing.h"

namespace coppice::vectors {

// The cluster that operator cases were recorded on: its configuration, queues, topology.
std::unique_ptr<operators::World> MakeRecordedWorld();

// The kinds whose objects are compared.
const std::vector<api::Resource>& ComparedResources();
// What every namespace has, and no set brought.
bool IsPartOfNamespace(const json::Value& object);

}  // namespace coppice::vectors
