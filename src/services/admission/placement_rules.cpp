#include "services/admission/placement_rules.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/labels.h"
#include "services/common/names.h"

namespace coppice::services::admission {
namespace {

bool Matches(const std::string& pattern, std::string_view ns) {
  if (pattern.empty() || pattern.back() != '*') return pattern == ns;
  return ns.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
}

bool MayBePlaced(view::core::Pod pod) {
  const std::string_view named = pod.spec().schedulerName();
  return (named.empty() || named == "default-scheduler") && !pod.spec().has_nodeName() &&
         pod.metadata().labels()[api::labels::kPodGang].empty();
}

std::string NamespaceCondition(const std::string& pattern) {
  if (pattern == "*") return "true";
  if (pattern.empty() || pattern.back() != '*') {
    return fmt::format("request.namespace == '{}'", pattern);
  }
  return fmt::format("request.namespace.startsWith('{}')", pattern.substr(0, pattern.size() - 1));
}

}  // namespace

std::string PlacedPods(const PlacementRules& rules) {
  if (!rules.enabled) return "";
  std::vector<std::string> namespaces;
  for (const PlacementRule& rule : rules.rules) {
    if (!rule.scheduler_name.empty())
      namespaces.push_back(NamespaceCondition(rule.namespace_pattern));
  }
  if (namespaces.empty()) return "";
  return fmt::format(
      "(!has(object.spec.schedulerName) || object.spec.schedulerName in ['', 'default-scheduler']) "
      "&& !has(object.spec.nodeName) && "
      "!(has(object.metadata.labels) && '{}' in object.metadata.labels) && ({})",
      api::labels::kPodGang, fmt::join(namespaces, " || "));
}

void ApplyPlacementRules(const PlacementRules& rules, std::string_view ns, json::Value& pod) {
  if (!rules.enabled) return;
  for (const PlacementRule& rule : rules.rules) {
    if (!Matches(rule.namespace_pattern, ns)) continue;
    const edit::core::Pod edit(pod);
    if (!rule.scheduler_name.empty() && MayBePlaced(view::core::Pod(pod))) {
      edit.spec().set_schedulerName(rule.scheduler_name);
    }
    if (!rule.queue.empty()) {
      edit.metadata().labels().Json().SetDefault(rules.queue_label_key, rule.queue);
    }
    return;
  }
}

base::Status CheckQueue(const PlacementRules& rules, view::core::Pod pod,
                        const std::function<bool(const std::string& queue)>& exists) {
  if (!rules.enabled || !rules.refuse_unknown_queues) return {};
  const auto labels = pod.metadata().labels();
  if (!labels.Has(rules.queue_label_key)) return {};
  const std::string queue(labels[rules.queue_label_key]);
  if (exists(queue)) return {};
  return base::Error(base::ErrorCode::kForbidden,
                     fmt::format("label {} names queue \"{}\", which does not exist: create the "
                                 "queue, or name another one",
                                 rules.queue_label_key, queue));
}

}  // namespace coppice::services::admission
