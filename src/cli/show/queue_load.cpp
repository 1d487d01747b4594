#include "cli/show/queue_load.h"

#include <vector>

#include "api/view/core.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "cli/common/list_or_none.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::cli {
namespace {

using json::Value;

struct PodCount {
  int64_t placed = 0;
  int64_t unplaced = 0;
};

// Of pods that have not ended, by group.
std::map<api::ObjectKey, PodCount> CountPodsByGroup(const std::vector<Value>& pods) {
  std::map<api::ObjectKey, PodCount> counts;
  for (const Value& object : pods) {
    const view::core::Pod pod(object);
    const std::string_view phase = pod.status().phase();
    if (phase == "Succeeded" || phase == "Failed" || kube::IsDeleting(object)) continue;
    const std::string_view group = kube::Annotation(object, services::names::kPodGroupAnnotation);
    if (group.empty()) continue;
    PodCount& count = counts[{std::string(kube::Namespace(object)), std::string(group)}];
    ++(pod.spec().nodeName().empty() ? count.unplaced : count.placed);
  }
  return counts;
}

}  // namespace

base::Result<std::map<std::string, QueueLoad>> ReadQueueLoads(kube::Client& client) {
  COPPICE_ASSIGN(const std::vector<Value> groups, ListOrNone(client, api::kPodGroups, ""));
  COPPICE_ASSIGN(const std::vector<Value> pods, ListOrNone(client, api::kPods, ""));
  const auto counts = CountPodsByGroup(pods);
  std::map<std::string, QueueLoad> loads;
  for (const Value& group : groups) {
    const auto count = counts.find(kube::KeyOf(group));
    if (count == counts.end()) continue;
    QueueLoad& load = loads[std::string(view::kai::PodGroup(group).spec().queue())];
    load.running += count->second.placed > 0 ? 1 : 0;
    load.waiting += count->second.unplaced > 0 ? 1 : 0;
  }
  return loads;
}

}  // namespace coppice::cli
