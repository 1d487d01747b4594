#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/framework/backend.h"
#include "backends/model/gang_condition.h"

namespace coppice::backends {

struct StatusInput {
  const GangInput& gang;
  json::Value old_status;             // The PodGang's present status.
  std::span<const json::Value> pods;  // With the gang's label.
  Signals signals;
  std::optional<Refusal> problem;  // Why it is not synced.
  std::vector<Outcome> outcomes;
  std::string now;        // RFC 3339.
  bool has_pods = false;  // All pods that it is to have exist and are referred to.
};

// The PodGang's status as the pods and the scheduler's objects have it. Equal to `old_status` when
// nothing changed, so that the caller can tell that there is nothing to write.
json::Value ComputeStatus(const StatusInput& input);

// A condition that changed, for the event about it.
struct Transition {
  std::string type;
  std::string reason;
  std::string message;
};
// BackendSynced and TranslationDegraded conditions that went bad, or bad in another way, between
// two statuses.
std::vector<Transition> BadTransitions(const json::Value& old_status, const json::Value& status);

// Conditions whose status or reason differs between two statuses, with the status in front of the
// reason: what a log tells.
std::vector<Transition> AllTransitions(const json::Value& old_status, const json::Value& status);

// Whether the gang only made progress: phase, score, and conditions that changed for the better.
// Everything else (what opens gates, anything that failed) is written at once.
bool OnlyImproves(const json::Value& old_status, const json::Value& status);

// Pods that count: not terminating, not a scheduler's placeholder.
bool CountsForStatus(const json::Value& pod);

// How well the bound pods sit, from 0 to 1: 1 when every scope got the level it asked for. Nothing
// without constraints.
std::optional<double> PlacementScore(const GangInput& input, std::span<const json::Value> pods);

}  // namespace coppice::backends
