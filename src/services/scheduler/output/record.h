#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/result.h"
#include "json/value.h"
#include "services/scheduler/options/options.h"

// What the end of a cycle leaves on the objects concerned (docs/behaviour/scheduler.md S-14),
// decided without I/O.
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
  // Whether a scheduler that starts anew would find out by itself what that patch says.
  bool can_be_recovered = true;
  // The new status.schedulingConditions; nothing when they stay.
  std::optional<json::Value> conditions;
};

GroupRecord MakeRecord(const engine::GroupStatus& status, const json::Value& group,
                       const Options& options, base::Time now);

// A PodScheduled=False condition as a strategic merge patch of the pod's status; nothing when the
// pod says so already.
std::optional<json::Value> PodConditionPatch(const json::Value& pod, std::string_view reason,
                                             std::string_view message, base::Time now);

}  // namespace coppice::services::scheduler
