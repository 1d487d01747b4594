#include "services/scheduler/record.h"

#include <charconv>
#include <cmath>

#include "base/quantity.h"
#include "kube/object.h"
#include "services/names.h"
#include "services/scheduler/read/cluster.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

constexpr std::string_view kConditionType = "UnschedulableOnNodePool";

const std::string& Text(const Options& options, const std::string& text,
                        const std::string& detail) {
  return options.detailed_fit_errors && !detail.empty() ? detail : text;
}

// Annotations count whole seconds, so a time of the same second is no change.
void PatchTime(const json::Value& group, std::string_view key, std::optional<base::Time> time,
               json::Value& patch) {
  const json::Value* current = group["metadata"]["annotations"].Find(key);
  if (!time) {
    if (current) patch.Mutable("metadata").Mutable("annotations").Set(key, json::Value());
    return;
  }
  const std::string text = base::FormatRfc3339(*time);
  if (current && ReadTime(*current) == ReadTime(json::Value(text))) return;
  patch.Mutable("metadata").Mutable("annotations").Set(key, text);
}

// When a group was first started, its pods tell (Feed::NoteStart). When it was last evicted matters
// where that delays its own evictions of others. All else is known from here alone.
bool CanBeRecovered(const json::Value& group, const json::Value& patch) {
  for (const json::Member& change : patch["metadata"]["annotations"].Members()) {
    const bool first_start = change.name() == names::kLastStartTimestamp &&
                             !group["metadata"]["annotations"].Has(change.name());
    const bool idle_eviction =
        change.name() == names::kLastEvictionTimestamp && !group["spec"].Has("preemptionDelay");
    if (!first_start && !idle_eviction) return false;
  }
  return true;
}

void RecordTimes(const engine::GroupStatus& status, const json::Value& group, GroupRecord& record) {
  json::Value patch;
  PatchTime(group, names::kStaleTimestamp, status.stale_since, patch);
  PatchTime(group, names::kLastStartTimestamp, status.last_start, patch);
  PatchTime(group, names::kLastEvictionTimestamp, status.last_eviction, patch);
  record.can_be_recovered = CanBeRecovered(group, patch);
  record.metadata_patch = std::move(patch);
}

// The engine counts thousandths of a core, bytes and GPUs; -1 is unlimited, and stays -1 of its
// unit.
json::Value QuantityMap(const std::map<std::string, double>& amounts) {
  const auto amount = [&](const std::string& name) {
    const auto found = amounts.find(name);
    return found == amounts.end() ? 0.0 : found->second;
  };
  const std::string gpu(names::kGpuResource);
  return json::Value::Object(
      {{"cpu", base::Quantity::FromMilli(std::llround(amount("cpu"))).ToString()},
       {"memory", base::Quantity::FromUnits(std::llround(amount("memory"))).ToString()},
       {gpu, base::Quantity::FromMilli(std::llround(amount(gpu) * 1000)).ToString()}});
}

json::Value QueueDetails(const engine::FitError::QueueDetails& queue) {
  return json::Value::Object(
      {{"name", queue.name},
       {"queueRequestedResources", QuantityMap(queue.requested)},
       {"queueDeservedResources", QuantityMap(queue.deserved)},
       {"queueAllocatedResources", QuantityMap(queue.allocated)},
       {"queueAllocatedNonPreemptibleResources", QuantityMap(queue.allocated_non_preemptible)},
       {"queueResourceLimits", QuantityMap(queue.limits)},
       {"podGroupRequestedResources", QuantityMap(queue.group_requested)},
       {"podGroupRequestedNonPreemptibleResources",
        QuantityMap(queue.group_requested_non_preemptible)}});
}

json::Value Reasons(const engine::GroupStatus& status, const Options& options) {
  json::Value out = json::Value::Array();
  for (const engine::FitError& error : status.errors) {
    json::Value reason = json::Value::Object(
        {{"reason", error.reason}, {"message", Text(options, error.message, error.detail)}});
    if (error.queue) reason.Mutable("details").Set("queueDetails", QueueDetails(*error.queue));
    out.Append(std::move(reason));
  }
  return out;
}

bool SameCondition(const json::Value& a, const json::Value& b) {
  for (const char* field : {"type", "nodePool", "reason", "message", "status"}) {
    if (a[field] != b[field]) return false;
  }
  return true;
}

std::string NextTransition(const json::Value& latest) {
  const std::string_view text = latest["transitionID"].AsString();
  int64_t id = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  const bool valid = error == std::errc() && end == text.data() + text.size() && id >= 0;
  return std::to_string(valid ? id + 1 : 0);
}

std::optional<json::Value> NextConditions(const engine::GroupStatus& status,
                                          const json::Value& group, const Options& options,
                                          base::Time now) {
  const std::string pool = NodePoolOf(group, options.node_pool_label_key);
  const json::Value& latest = LatestSchedulingCondition(group);
  json::Value condition =
      json::Value::Object({{"type", kConditionType},
                           {"nodePool", pool},
                           {"reason", "Unschedulable"},
                           {"message", Text(options, status.message, status.detail)},
                           {"status", "True"}});
  const json::Value& current = group["status"]["schedulingConditions"];
  const bool is_last = !current.empty() && current.At(current.size() - 1) == latest;
  if (is_last && SameCondition(latest, condition)) return std::nullopt;
  condition.Set("transitionID", NextTransition(latest));
  condition.Set("lastTransitionTime", base::FormatRfc3339(now));
  if (json::Value reasons = Reasons(status, options); !reasons.empty()) {
    condition.Set("reasons", std::move(reasons));
  }
  json::Value next = json::Value::Array();
  for (const json::Value& item : current.Items()) {
    if (item["nodePool"].AsString() != pool) next.Append(item);
  }
  next.Append(std::move(condition));
  return next;
}

void RecordWaiting(const engine::GroupStatus& status, const json::Value& group,
                   const Options& options, base::Time now, GroupRecord& record) {
  const bool mark = group["spec"]["markUnschedulable"].AsBool(true);
  for (const engine::PodMessage& pod : status.pods) {
    if (pod.unknown_sub_group) continue;
    record.pods.push_back(
        {pod.pod, {"Warning", "Unschedulable", Text(options, pod.message, pod.detail)}, mark});
  }
  record.events.push_back(
      {"Normal", "Unschedulable", Text(options, status.message, status.detail)});
  if (!status.has_active) record.conditions = NextConditions(status, group, options, now);
}

}  // namespace

GroupRecord MakeRecord(const engine::GroupStatus& status, const json::Value& group,
                       const Options& options, base::Time now) {
  GroupRecord record;
  if (status.stale) record.events.push_back({"Normal", "StaleJob", status.stale_message});
  for (const engine::PodMessage& pod : status.pods) {
    if (!pod.unknown_sub_group) continue;
    record.pods.push_back({pod.pod, {"Warning", "Unschedulable", pod.message}, true});
  }
  if (status.waiting && !status.ready) {
    record.events.push_back({"Normal", "NotReady", status.not_ready_message});
    const bool silent = options.configuration.compatibility.Keeps(engine::Quirk::kNotReadyTimes);
    if (!silent) RecordTimes(status, group, record);
    return record;
  }
  if (status.waiting) {
    RecordWaiting(status, group, options, now, record);
  } else if (status.clear_conditions && !group["status"]["schedulingConditions"].empty()) {
    record.conditions = json::Value::Array();
  }
  RecordTimes(status, group, record);
  return record;
}

std::optional<json::Value> PodConditionPatch(const json::Value& pod, std::string_view reason,
                                             std::string_view message, base::Time now) {
  const json::Value& current = kube::Condition(pod, "PodScheduled");
  const bool was_false = current["status"].AsString() == "False";
  if (was_false && current["reason"].AsString() == reason &&
      current["message"].AsString() == message) {
    return std::nullopt;
  }
  json::Value condition = json::Value::Object(
      {{"type", "PodScheduled"}, {"status", "False"}, {"reason", reason}, {"message", message}});
  if (!was_false) condition.Set("lastTransitionTime", base::FormatRfc3339(now));
  json::Value patch = json::Value::Object();
  patch.Mutable("status").Mutable("conditions").Append(std::move(condition));
  return patch;
}

}  // namespace coppice::services::scheduler
