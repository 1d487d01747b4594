#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/grove/meta.h"
#include "base/clock.h"

namespace coppice::operators {

using api::grove::Condition;

// The condition of this type, or null.
const Condition* FindCondition(const std::vector<Condition>& conditions, std::string_view type);
bool ConditionIs(const std::vector<Condition>& conditions, std::string_view type,
                 std::string_view status);
// Writes a condition when status, reason or message differ; its time moves only with its status.
void SetCondition(std::vector<Condition>& conditions, Condition condition, base::Time now);
void RemoveCondition(std::vector<Condition>& conditions, std::string_view type);

// An RFC 3339 time; the epoch when it cannot be read.
base::Time ReadTime(std::string_view text);

}  // namespace coppice::operators
