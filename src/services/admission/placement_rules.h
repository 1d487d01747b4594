#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/view/core.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::services::admission {

// Which scheduler and queue the pods of a namespace get when they name none.
struct PlacementRule {
  std::string namespace_pattern;  // A name, or a prefix followed by "*".
  std::string scheduler_name;     // Empty: left alone.
  std::string queue;              // Empty: left alone.
};

struct PlacementRules {
  bool enabled = false;
  std::string queue_label_key = "kai.scheduler/queue";
  std::vector<PlacementRule> rules;  // The first that matches applies.
  bool refuse_unknown_queues = true;
};

// The pods that a rule may give another scheduler, as a CEL expression over `object` and `request`
// of an admission webhook; "" when no rule names a scheduler.
std::string PlacedPods(const PlacementRules& rules);

// Sets scheduler name and queue label of a new pod by its namespace. Pods of gangs keep the
// scheduler that their gang was handed to, and pods that are on a node need none.
void ApplyPlacementRules(const PlacementRules& rules, std::string_view ns, json::Value& pod);
// Refuses a pod of our scheduler whose queue label names no queue.
base::Status CheckQueue(const PlacementRules& rules, view::core::Pod pod,
                        const std::function<bool(const std::string& queue)>& exists);

}  // namespace coppice::services::admission
