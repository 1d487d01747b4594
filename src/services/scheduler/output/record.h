#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/result.h"
#include "json/value.h"
#include "services/scheduler/options/options.h"

// What is written to objects at the end of a cycle (docs/behaviour/scheduler.md S-14), decided
// without I/O.
namespace coppice::services::scheduler {

struct EventNote {
  std::string type;  // "Normal" or "Warning".
  std::string reason;
  std::string message;
};

struct PodNote {
  engine::PodKey pod;
  EventNote event;
  bool set_condition = false;
};

struct GroupRecord {
  std::vector<EventNote> events;  // On the PodGroup.
  std::vector<PodNote> pods;
  // A merge patch of the PodGroup's metadata; null when there is nothing to change.
  json::Value metadata_patch;
  // Whether a restarted scheduler could derive that patch from the objects.
  bool can_be_recovered = true;
  // The new status.schedulingConditions; nullopt if unchanged.
  std::optional<json::Value> conditions;
};

GroupRecord MakeRecord(const engine::GroupStatus& status, const json::Value& group,
                       const Options& options, base::Time now);

// A PodScheduled=False condition as a strategic merge patch of the pod's status; nullopt if the pod
// already has it.
std::optional<json::Value> PodConditionPatch(const json::Value& pod, std::string_view reason,
                                             std::string_view message, base::Time now);

}  // namespace coppice::services::scheduler
