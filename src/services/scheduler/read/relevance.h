#pragma once

#include "json/value.h"

// Whether an update of an object concerns decisions at all: most are somebody's status, and neither
// need to be read nor lead to a cycle.
namespace coppice::services::scheduler {

bool PodUpdateMatters(const json::Value& before, const json::Value& now);
bool GroupUpdateMatters(const json::Value& before, const json::Value& now);
bool BindRequestUpdateMatters(const json::Value& before, const json::Value& now);
bool QueueUpdateMatters(const json::Value& before, const json::Value& now);

}  // namespace coppice::services::scheduler
