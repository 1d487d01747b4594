#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kai/names.h"
#include "api/view/core.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::services::admission {

// The default scheduler and queue of pods in a namespace.
struct PlacementRule {
  std::string namespace_pattern;  // A name, or a prefix followed by "*".
  std::string scheduler_name;     // Empty: left alone.
  std::string queue;              // Empty: left alone.
};

struct PlacementRules {
  bool enabled = false;
  std::string queue_label_key{api::kai::names::kQueueLabel};
  std::vector<PlacementRule> rules;  // The first that matches applies.
  bool refuse_unknown_queues = true;
};

// A CEL expression over `object` and `request` of an admission webhook that selects pods whose
// scheduler a rule may change; "" if no rule names a scheduler.
std::string PlacedPods(const PlacementRules& rules);

// Sets scheduler name and queue label of a new pod by its namespace. Pods of gangs keep their
// gang's scheduler, and pods with a node need none.
void ApplyPlacementRules(const PlacementRules& rules, std::string_view ns, json::Value& pod);
// Rejects a pod of our scheduler whose queue does not exist.
base::Status CheckQueue(const PlacementRules& rules, view::core::Pod pod,
                        const std::function<bool(const std::string& queue)>& exists);

}  // namespace coppice::services::admission
