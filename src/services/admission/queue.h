#pragma once

#include <optional>
#include <vector>

#include "api/view/kai.h"
#include "json/value.h"
#include "services/admission/verdict.h"

namespace coppice::services::admission {

// What the quota check compares a queue with.
struct QueueFamily {
  std::optional<json::Value> parent;
  std::vector<json::Value> siblings;  // Children of the parent, this queue left out.
  std::vector<json::Value> children;
};

// Resources are required; with `family`, inconsistent quotas give warnings
// (docs/behaviour/services.md K-49).
Verdict ValidateQueue(view::kai::Queue queue, const QueueFamily* family);
Verdict ValidateQueueDeletion(view::kai::Queue queue);

}  // namespace coppice::services::admission
