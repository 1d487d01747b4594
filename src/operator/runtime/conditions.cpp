#include "operator/runtime/conditions.h"

#include <algorithm>
#include <utility>

namespace coppice::operators {

const Condition* FindCondition(const std::vector<Condition>& conditions, std::string_view type) {
  for (const Condition& condition : conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

bool ConditionIs(const std::vector<Condition>& conditions, std::string_view type,
                 std::string_view status) {
  const Condition* condition = FindCondition(conditions, type);
  return condition != nullptr && condition->status == status;
}

void SetCondition(std::vector<Condition>& conditions, Condition condition, base::Time now) {
  condition.lastTransitionTime = base::FormatRfc3339(now);
  for (Condition& existing : conditions) {
    if (existing.type != condition.type) continue;
    if (existing.status == condition.status) {
      condition.lastTransitionTime = existing.lastTransitionTime;
    }
    existing = std::move(condition);
    return;
  }
  conditions.push_back(std::move(condition));
}

void RemoveCondition(std::vector<Condition>& conditions, std::string_view type) {
  std::erase_if(conditions, [&](const Condition& condition) { return condition.type == type; });
}

base::Time ReadTime(std::string_view text) {
  return base::ParseRfc3339(text).value_or(base::Time{});
}

}  // namespace coppice::operators
