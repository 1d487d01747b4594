#include "services/admission/placement_rules.h"

#include <fmt/format.h>

#include "kube/object.h"

namespace coppice::services::admission {
namespace {

bool Matches(const std::string& pattern, std::string_view ns) {
  if (pattern.empty() || pattern.back() != '*') return pattern == ns;
  return ns.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
}

}  // namespace

void ApplyPlacementRules(const PlacementRules& rules, std::string_view ns, json::Value& pod) {
  if (!rules.enabled) return;
  for (const PlacementRule& rule : rules.rules) {
    if (!Matches(rule.namespace_pattern, ns)) continue;
    const std::string_view named = pod["spec"]["schedulerName"].AsString();
    const bool unnamed = named.empty() || named == "default-scheduler";
    if (!rule.scheduler_name.empty() && unnamed) {
      pod.Mutable("spec").Set("schedulerName", rule.scheduler_name);
    }
    if (!rule.queue.empty()) {
      pod.Mutable("metadata").Mutable("labels").SetDefault(rules.queue_label_key, rule.queue);
    }
    return;
  }
}

base::Status CheckQueue(const PlacementRules& rules, const json::Value& pod,
                        const std::function<bool(const std::string& queue)>& exists) {
  if (!rules.enabled || !rules.refuse_unknown_queues) return {};
  const json::Value* queue = pod["metadata"]["labels"].Find(rules.queue_label_key);
  if (!queue || exists(queue->ToString())) return {};
  return base::Error(base::ErrorCode::kForbidden,
                     fmt::format("label {} names queue \"{}\", which does not exist: create the "
                                 "queue, or name another one",
                                 rules.queue_label_key, queue->AsString()));
}

}  // namespace coppice::services::admission
