#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/compatibility/policy.h"
#include "backends/model/gang_info.h"
#include "backends/model/translation.h"

// Plans the writes for a gang; performs none.
namespace coppice::backends {

enum class WriteKind {
  kNone,     // Up to date.
  kApply,    // Create, or update in place.
  kReplace,  // An immutable field changed and no pod uses the object: delete, then create.
  kBlocked,  // An immutable field changed while live pods use the object: the old object stays.
  kForeign,  // The name belongs to someone else.
};

struct PlannedWrite {
  WriteKind kind;
  DesiredObject desired;
  json::Value live;                  // Null if it does not exist.
  json::Value apply;                 // The document to send, for kApply.
  std::vector<std::string> changed;  // Immutable fields that differ, for kReplace and kBlocked.
};

// Adds what every generated object carries: a controller reference to the gang, tracking labels,
// generation and hashes. Only the reference if the policy has no tracking.
DesiredObject Complete(DesiredObject desired, const json::Value& owner, const PodGangInfo& gang,
                       const CompatibilityPolicy& policy);

// What to do about one completed object, given the live object (null: none) and the gang's pods.
PlannedWrite PlanWrite(DesiredObject desired, const json::Value& live, const PodGangInfo& gang,
                       std::span<const json::Value> pods);

}  // namespace coppice::backends
