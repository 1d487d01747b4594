#include "services/scheduler/read/cluster.h"

#include <charconv>
#include <limits>

#include "api/labels.h"
#include "api/view/core.h"
#include "api/view/scheduling.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/scheduler/read/selectors.h"
#include "services/scheduler/read/shown_as.h"

namespace coppice::services::scheduler {
namespace {

const json::Value kNoCondition;
constexpr int64_t kNoCount = std::numeric_limits<int64_t>::min();

engine::QueueQuota ReadQuota(view::kai::QueueResource resource) {
  return {resource.quota(), resource.limit(), resource.overQuotaWeight()};
}

std::optional<int> ReadCount(int64_t count) {
  if (count == kNoCount) return std::nullopt;
  return static_cast<int>(count);
}

std::optional<engine::TopologyConstraint> ReadConstraint(
    view::kai::GroupTopologyConstraint constraint) {
  if (constraint.topology().empty()) return std::nullopt;
  return engine::TopologyConstraint{std::string(constraint.topology()),
                                    std::string(constraint.requiredTopologyLevel()),
                                    std::string(constraint.preferredTopologyLevel())};
}

engine::SubGroupSpec ReadSubGroup(view::kai::SubGroup group) {
  return {std::string(group.name()), std::string(group.parent()),
          ReadCount(group.minMember(kNoCount)), ReadCount(group.minSubGroup(kNoCount)),
          ReadConstraint(group.topologyConstraint())};
}

bool IsPreemptible(view::kai::PodGroupSpec group, int64_t priority) {
  const std::string_view explicit_value = group.preemptibility();
  if (explicit_value == "preemptible") return true;
  if (explicit_value == "non-preemptible") return false;
  return priority < kNonPreemptiblePriority;
}

int64_t TransitionId(view::kai::SchedulingCondition condition) {
  const std::string_view text = condition.transitionID();
  int64_t id = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc() && end == text.data() + text.size() ? id : -1;
}

}  // namespace

engine::NodeSpec ReadNode(const json::Value& object) {
  const view::core::Node node(object);
  engine::NodeSpec out;
  out.name = node.metadata().name();
  out.labels = ReadLabels(node.metadata().labels());
  out.allocatable = ReadResourceList(node.status().allocatable());
  out.taints = ReadTaints(node.spec().taints());
  for (const view::core::NodeCondition condition : node.status().conditions()) {
    out.conditions.push_back({std::string(condition.type()), std::string(condition.status())});
  }
  out.unschedulable = node.spec().unschedulable();
  return out;
}

engine::QueueSpec ReadQueue(const json::Value& object) {
  const view::kai::Queue queue(object);
  const view::kai::QueueSpec spec = queue.spec();
  engine::QueueSpec out;
  out.name = queue.metadata().name();
  out.display_name = spec.displayName();
  out.parent = spec.parentQueue();
  out.priority = static_cast<int>(spec.priority(100));
  out.creation = ReadTime(queue.metadata().creationTimestamp()).value_or(base::Time{});
  out.cpu = ReadQuota(spec.resources().cpu());
  out.memory = ReadQuota(spec.resources().memory());
  out.gpu = ReadQuota(spec.resources().gpu());
  out.preempt_min_runtime = ReadDuration(spec.preemptMinRuntime());
  out.reclaim_min_runtime = ReadDuration(spec.reclaimMinRuntime());
  return out;
}

engine::TopologySpec ReadTopology(const json::Value& topology) {
  engine::TopologySpec out;
  out.name = kube::Name(topology);
  for (const view::kai::TopologyLevel level : view::kai::Topology(topology).spec().levels()) {
    out.levels.push_back({std::string(level.nodeLabel()), std::string(level.alias())});
  }
  return out;
}

void PriorityClasses::Put(const json::Value& object) {
  const view::scheduling::PriorityClass priority_class(object);
  const std::string name(priority_class.metadata().name());
  values_[name] = priority_class.value();
  global_.erase(name);
  if (priority_class.globalDefault()) global_[name] = priority_class.value();
}

void PriorityClasses::Remove(const std::string& name) {
  values_.erase(name);
  global_.erase(name);
}

int64_t PriorityClasses::Resolve(const std::string& name) const {
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  return global_.empty() ? kDefaultPriority : global_.begin()->second;
}

engine::PodGroupSpec ReadPodGroup(const json::Value& object, const PriorityClasses& classes,
                                  std::string_view node_pool_key) {
  const view::kai::PodGroup group(object);
  const view::kai::PodGroupSpec spec = group.spec();
  const auto annotations = group.metadata().annotations();
  engine::PodGroupSpec out;
  out.name = group.metadata().name();
  out.namespace_name = group.metadata().namespace_();
  out.uid = group.metadata().uid();
  out.queue = spec.queue();
  out.set = SetOf(object);
  out.shown_as = ShownGroup(object);
  out.node_pool = NodePoolOf(object, node_pool_key);
  out.priority = classes.Resolve(std::string(spec.priorityClassName()));
  out.preemptible = IsPreemptible(spec, out.priority);
  out.creation = ReadTime(group.metadata().creationTimestamp()).value_or(base::Time{});
  out.last_start = ReadTime(annotations[names::kLastStartTimestamp]);
  out.last_eviction = ReadTime(annotations[names::kLastEvictionTimestamp]);
  out.stale_since = ReadTime(annotations[names::kStaleTimestamp]);
  out.staleness_grace = ReadDuration(spec.stalenessGracePeriod());
  out.preemption_delay = ReadDuration(spec.preemptionDelay());
  out.scheduling_backoff = static_cast<int>(spec.schedulingBackoff(-1));
  out.mark_unschedulable = spec.markUnschedulable(true);
  out.min_members = ReadCount(spec.minMember(kNoCount));
  out.min_sub_groups = ReadCount(spec.minSubGroup(kNoCount));
  out.topology = ReadConstraint(spec.topologyConstraint());
  for (const view::kai::SubGroup item : spec.subGroups()) {
    out.sub_groups.push_back(ReadSubGroup(item));
  }
  return out;
}

std::string SetOf(const json::Value& gang) {
  if (kube::Label(gang, api::labels::kManagedBy) != api::labels::kOperator) return "";
  return std::string(kube::Label(gang, api::labels::kPartOf));
}

std::string NodePoolOf(const json::Value& group, std::string_view node_pool_key) {
  if (node_pool_key.empty()) return "default";
  const std::string_view pool = kube::Label(group, node_pool_key);
  return pool.empty() ? "default" : std::string(pool);
}

view::kai::SchedulingCondition LatestSchedulingCondition(view::kai::PodGroup group) {
  view::kai::SchedulingCondition latest(kNoCondition);
  int64_t highest = -2;
  for (const auto condition : group.status().schedulingConditions()) {
    const int64_t id = TransitionId(condition);
    if (id <= highest) continue;
    highest = id;
    latest = condition;
  }
  return latest;
}

bool IsBackedOff(const json::Value& object, std::string_view node_pool_key) {
  const view::kai::PodGroup group(object);
  if (group.spec().schedulingBackoff(-1) == -1) return false;
  const auto latest = LatestSchedulingCondition(group);
  return latest && latest.nodePool() == NodePoolOf(object, node_pool_key);
}

}  // namespace coppice::services::scheduler
