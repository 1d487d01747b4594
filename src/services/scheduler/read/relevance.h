#pragma once

#include "json/value.h"

// Whether an update of an object affects decisions: most are status updates, which need not be read
// and do not trigger a cycle.
namespace coppice::services::scheduler {

bool PodUpdateMatters(const json::Value& before, const json::Value& now);
bool GroupUpdateMatters(const json::Value& before, const json::Value& now);
bool BindRequestUpdateMatters(const json::Value& before, const json::Value& now);
bool QueueUpdateMatters(const json::Value& before, const json::Value& now);

}  // namespace coppice::services::scheduler
