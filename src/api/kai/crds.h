#pragma once

#include <vector>

#include "json/value.h"

// KAI's kinds as CustomResourceDefinitions, generated from the structs in this folder and compared
// with the real ones in a test.
namespace coppice::api::kai {

json::Value QueueCrd();
json::Value PodGroupCrd();
json::Value BindRequestCrd();
json::Value TopologyCrd();
json::Value SchedulingShardCrd();
json::Value ConfigCrd();

// All of them.
std::vector<json::Value> Crds();

}  // namespace coppice::api::kai
