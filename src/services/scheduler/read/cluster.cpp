#include "services/scheduler/read/cluster.h"

#include <charconv>

#include "kube/object.h"
#include "services/names.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

const json::Value kNone;

engine::QueueQuota ReadQuota(const json::Value& resource) {
  return {resource["quota"].AsDouble(), resource["limit"].AsDouble(),
          resource["overQuotaWeight"].AsDouble()};
}

std::optional<int> ReadCount(const json::Value& value) {
  if (!value.IsNumber()) return std::nullopt;
  return static_cast<int>(value.AsInt());
}

std::optional<engine::TopologyConstraint> ReadConstraint(const json::Value& constraint) {
  if (constraint["topology"].AsString().empty()) return std::nullopt;
  return engine::TopologyConstraint{constraint["topology"].ToString(),
                                    constraint["requiredTopologyLevel"].ToString(),
                                    constraint["preferredTopologyLevel"].ToString()};
}

engine::SubGroupSpec ReadSubGroup(const json::Value& group) {
  return {group["name"].ToString(), group["parent"].ToString(), ReadCount(group["minMember"]),
          ReadCount(group["minSubGroup"]), ReadConstraint(group["topologyConstraint"])};
}

bool IsPreemptible(const json::Value& spec, int64_t priority) {
  const std::string_view explicit_value = spec["preemptibility"].AsString();
  if (explicit_value == "preemptible") return true;
  if (explicit_value == "non-preemptible") return false;
  return priority < kNonPreemptiblePriority;
}

int64_t TransitionId(const json::Value& condition) {
  const std::string_view text = condition["transitionID"].AsString();
  int64_t id = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc() && end == text.data() + text.size() ? id : -1;
}

std::optional<base::Time> AnnotatedTime(const json::Value& group, std::string_view key) {
  return ReadTime(group["metadata"]["annotations"][key]);
}

}  // namespace

engine::NodeSpec ReadNode(const json::Value& node) {
  engine::NodeSpec spec;
  spec.name = kube::Name(node);
  spec.labels = ReadLabels(node["metadata"]["labels"]);
  spec.allocatable = ReadResourceList(node["status"]["allocatable"]);
  spec.taints = ReadTaints(node["spec"]["taints"]);
  for (const json::Value& condition : node["status"]["conditions"].Items()) {
    spec.conditions.push_back({condition["type"].ToString(), condition["status"].ToString()});
  }
  spec.unschedulable = node["spec"]["unschedulable"].AsBool();
  return spec;
}

engine::QueueSpec ReadQueue(const json::Value& queue) {
  const json::Value& spec = queue["spec"];
  engine::QueueSpec out;
  out.name = kube::Name(queue);
  out.display_name = spec["displayName"].ToString();
  out.parent = spec["parentQueue"].ToString();
  out.priority = static_cast<int>(spec["priority"].AsInt(100));
  out.creation = ReadTime(queue["metadata"]["creationTimestamp"]).value_or(base::Time{});
  out.cpu = ReadQuota(spec["resources"]["cpu"]);
  out.memory = ReadQuota(spec["resources"]["memory"]);
  out.gpu = ReadQuota(spec["resources"]["gpu"]);
  out.preempt_min_runtime = ReadDuration(spec["preemptMinRuntime"]);
  out.reclaim_min_runtime = ReadDuration(spec["reclaimMinRuntime"]);
  return out;
}

engine::TopologySpec ReadTopology(const json::Value& topology) {
  engine::TopologySpec out;
  out.name = kube::Name(topology);
  for (const json::Value& level : topology["spec"]["levels"].Items()) {
    out.levels.push_back({level["nodeLabel"].ToString(), level["alias"].ToString()});
  }
  return out;
}

void PriorityClasses::Put(const json::Value& priority_class) {
  const std::string name(kube::Name(priority_class));
  values_[name] = priority_class["value"].AsInt();
  global_.erase(name);
  if (priority_class["globalDefault"].AsBool()) global_[name] = priority_class["value"].AsInt();
}

void PriorityClasses::Remove(const std::string& name) {
  values_.erase(name);
  global_.erase(name);
}

int64_t PriorityClasses::Resolve(const std::string& name) const {
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  return global_.empty() ? kDefaultPriority : global_.begin()->second;
}

engine::PodGroupSpec ReadPodGroup(const json::Value& group, const PriorityClasses& classes,
                                  std::string_view node_pool_key) {
  const json::Value& spec = group["spec"];
  engine::PodGroupSpec out;
  out.name = kube::Name(group);
  out.namespace_name = kube::Namespace(group);
  out.uid = kube::Uid(group);
  out.queue = spec["queue"].ToString();
  out.node_pool = NodePoolOf(group, node_pool_key);
  out.priority = classes.Resolve(spec["priorityClassName"].ToString());
  out.preemptible = IsPreemptible(spec, out.priority);
  out.creation = ReadTime(group["metadata"]["creationTimestamp"]).value_or(base::Time{});
  out.last_start = AnnotatedTime(group, names::kLastStartTimestamp);
  out.last_eviction = AnnotatedTime(group, names::kLastEvictionTimestamp);
  out.stale_since = AnnotatedTime(group, names::kStaleTimestamp);
  out.staleness_grace = ReadDuration(spec["stalenessGracePeriod"]);
  out.preemption_delay = ReadDuration(spec["preemptionDelay"]);
  out.scheduling_backoff = static_cast<int>(spec["schedulingBackoff"].AsInt(-1));
  out.mark_unschedulable = spec["markUnschedulable"].AsBool(true);
  out.min_members = ReadCount(spec["minMember"]);
  out.min_sub_groups = ReadCount(spec["minSubGroup"]);
  out.topology = ReadConstraint(spec["topologyConstraint"]);
  for (const json::Value& item : spec["subGroups"].Items()) {
    out.sub_groups.push_back(ReadSubGroup(item));
  }
  return out;
}

std::string NodePoolOf(const json::Value& group, std::string_view node_pool_key) {
  if (node_pool_key.empty()) return "default";
  const std::string_view pool = kube::Label(group, node_pool_key);
  return pool.empty() ? "default" : std::string(pool);
}

const json::Value& LatestSchedulingCondition(const json::Value& group) {
  const json::Value* latest = &kNone;
  int64_t highest = -2;
  for (const json::Value& condition : group["status"]["schedulingConditions"].Items()) {
    const int64_t id = TransitionId(condition);
    if (id <= highest) continue;
    highest = id;
    latest = &condition;
  }
  return *latest;
}

bool IsBackedOff(const json::Value& group, std::string_view node_pool_key) {
  if (group["spec"]["schedulingBackoff"].AsInt(-1) == -1) return false;
  const json::Value& latest = LatestSchedulingCondition(group);
  return !latest.IsNull() && latest["nodePool"].AsString() == NodePoolOf(group, node_pool_key);
}

}  // namespace coppice::services::scheduler
