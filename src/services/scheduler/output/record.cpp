#include "services/scheduler/output/record.h"

#include <charconv>
#include <cmath>

#include "api/edit/core.h"
#include "api/edit/kai.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "base/quantity.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/scheduler/read/cluster.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

constexpr std::string_view kConditionType = "UnschedulableOnNodePool";

const std::string& Text(const Options& options, const std::string& text,
                        const std::string& detail) {
  return options.detailed_fit_errors && !detail.empty() ? detail : text;
}

// Annotations count whole seconds, so a time in the same second is not a change.
void PatchTime(view::kai::PodGroup group, std::string_view key, std::optional<base::Time> time,
               json::Value& patch) {
  const edit::kai::PodGroup edit(patch);
  const auto annotations = group.metadata().annotations();
  const bool present = annotations.Has(key);
  if (!time) {
    if (present) edit.metadata().annotations().Set(key, json::Value());
    return;
  }
  const std::string text = base::FormatRfc3339(*time);
  if (present && ReadTime(annotations[key]) == ReadTime(text)) return;
  edit.metadata().annotations().Set(key, text);
}

// A group's first start can be derived from its pods (Feed::NoteStart). Its last eviction matters
// only if it delays its own preemptions. Everything else is recorded only here.
bool CanBeRecovered(view::kai::PodGroup group, view::kai::PodGroup patch) {
  for (const auto [key, time] : patch.metadata().annotations()) {
    const bool first_start =
        key == names::kLastStartTimestamp && !group.metadata().annotations().Has(key);
    const bool idle_eviction =
        key == names::kLastEvictionTimestamp && !group.spec().has_preemptionDelay();
    if (!first_start && !idle_eviction) return false;
  }
  return true;
}

void RecordTimes(const engine::GroupStatus& status, view::kai::PodGroup group,
                 GroupRecord& record) {
  json::Value patch;
  PatchTime(group, names::kStaleTimestamp, status.stale_since, patch);
  PatchTime(group, names::kLastStartTimestamp, status.last_start, patch);
  PatchTime(group, names::kLastEvictionTimestamp, status.last_eviction, patch);
  record.can_be_recovered = CanBeRecovered(group, view::kai::PodGroup(patch));
  record.metadata_patch = std::move(patch);
}

// The engine counts thousandths of a core, bytes and GPUs; -1 is unlimited, and stays -1 of its
// unit.
json::Value QuantityMap(const std::map<std::string, double>& amounts) {
  const auto amount = [&](const std::string& name) {
    const auto found = amounts.find(name);
    return found == amounts.end() ? 0.0 : found->second;
  };
  const std::string cpu = "cpu", memory = "memory", gpu(names::kGpuResource);
  json::Value out = json::Value::Object();
  out.Set(cpu, base::Quantity::FromMilli(std::llround(amount(cpu))).ToString());
  out.Set(memory, base::Quantity::FromUnits(std::llround(amount(memory))).ToString());
  out.Set(gpu, base::Quantity::FromMilli(std::llround(amount(gpu) * 1000)).ToString());
  return out;
}

void WriteDetails(const engine::FitError::QueueDetails& queue, edit::kai::QueueDetails out) {
  out.set_name(queue.name)
      .set_queueRequestedResources(QuantityMap(queue.requested))
      .set_queueDeservedResources(QuantityMap(queue.deserved))
      .set_queueAllocatedResources(QuantityMap(queue.allocated))
      .set_queueAllocatedNonPreemptibleResources(QuantityMap(queue.allocated_non_preemptible))
      .set_queueResourceLimits(QuantityMap(queue.limits))
      .set_podGroupRequestedResources(QuantityMap(queue.group_requested))
      .set_podGroupRequestedNonPreemptibleResources(
          QuantityMap(queue.group_requested_non_preemptible));
}

void AddReasons(const engine::GroupStatus& status, const Options& options,
                edit::kai::SchedulingCondition out) {
  for (const engine::FitError& error : status.errors) {
    const edit::kai::UnschedulableExplanation reason = out.add_reasons();
    reason.set_reason(error.reason).set_message(Text(options, error.message, error.detail));
    if (error.queue) WriteDetails(*error.queue, reason.details().queueDetails());
  }
}

bool SameCondition(view::kai::SchedulingCondition a, view::kai::SchedulingCondition b) {
  return a.type() == b.type() && a.nodePool() == b.nodePool() && a.reason() == b.reason() &&
         a.message() == b.message() && a.status() == b.status();
}

std::string NextTransition(view::kai::SchedulingCondition latest) {
  const std::string_view text = latest.transitionID();
  int64_t id = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  const bool valid = error == std::errc() && end == text.data() + text.size() && id >= 0;
  return std::to_string(valid ? id + 1 : 0);
}

std::optional<json::Value> NextConditions(const engine::GroupStatus& status,
                                          view::kai::PodGroup group, const Options& options,
                                          base::Time now) {
  const std::string pool = NodePoolOf(group.Json(), options.node_pool_label_key);
  const view::kai::SchedulingCondition latest = LatestSchedulingCondition(group);
  json::Value condition;
  const edit::kai::SchedulingCondition edit(condition);
  edit.set_type(kConditionType).set_nodePool(pool).set_reason("Unschedulable").set_status("True");
  edit.set_message(Text(options, status.message, status.detail));
  const auto current = group.status().schedulingConditions();
  const bool is_last = !current.empty() && current.At(current.size() - 1) == latest;
  if (is_last && SameCondition(latest, view::kai::SchedulingCondition(condition))) {
    return std::nullopt;
  }
  edit.set_transitionID(NextTransition(latest)).set_lastTransitionTime(base::FormatRfc3339(now));
  AddReasons(status, options, edit);
  json::Value next = json::Value::Array();
  for (const view::kai::SchedulingCondition item : current) {
    if (item.nodePool() != pool) next.Append(item.Json());
  }
  next.Append(std::move(condition));
  return next;
}

void RecordWaiting(const engine::GroupStatus& status, view::kai::PodGroup group,
                   const Options& options, base::Time now, GroupRecord& record) {
  const bool mark = group.spec().markUnschedulable(true);
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

GroupRecord MakeRecord(const engine::GroupStatus& status, const json::Value& object,
                       const Options& options, base::Time now) {
  const view::kai::PodGroup group(object);
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
  } else if (status.clear_conditions && !group.status().schedulingConditions().empty()) {
    record.conditions = json::Value::Array();
  }
  RecordTimes(status, group, record);
  return record;
}

std::optional<json::Value> PodConditionPatch(const json::Value& pod, std::string_view reason,
                                             std::string_view message, base::Time now) {
  const view::core::PodCondition current(kube::Condition(pod, "PodScheduled"));
  const bool was_false = current.status() == "False";
  if (was_false && current.reason() == reason && current.message() == message) return std::nullopt;
  json::Value patch;
  const edit::core::PodCondition condition = edit::core::Pod(patch).status().add_conditions();
  condition.set_type("PodScheduled").set_status("False").set_reason(reason).set_message(message);
  if (!was_false) condition.set_lastTransitionTime(base::FormatRfc3339(now));
  return patch;
}

}  // namespace coppice::services::scheduler
