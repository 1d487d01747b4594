#pragma once

#include <string_view>

#include "engine/model/input.h"
#include "engine/model/result.h"
#include "json/value.h"

namespace coppice::services::scheduler {

engine::BindRequestSpec ReadBindRequest(const json::Value& request);
// Given up by the binder: phase Failed with no attempt left.
bool IsFailedBindRequest(const json::Value& request);
// Whether it was created for this pod, not for an earlier one of the same name.
bool IsBindRequestOf(const json::Value& request, const json::Value& pod);

// The BindRequest of a decision (docs/behaviour/scheduler.md S-12). `node_pool_value` is the
// shard's.
json::Value WriteBindRequest(const engine::BindDecision& decision, std::string_view node_pool_key,
                             std::string_view node_pool_value);

}  // namespace coppice::services::scheduler
