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
// Sets a condition if its status, reason or message differs. lastTransitionTime changes only with
// the status.
void SetCondition(std::vector<Condition>& conditions, Condition condition, base::Time now);
void RemoveCondition(std::vector<Condition>& conditions, std::string_view type);

// Parses an RFC 3339 time; the epoch if it is invalid.
base::Time ReadTime(std::string_view text);

}  // namespace coppice::operators
