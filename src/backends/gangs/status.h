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
  json::Value old_status;             // Pods with the gang's label.
  std::span<const json::Value> pods;  // With the gang's label.
  Signals signals;
  std::optional<Refusal> problem;  // Why the gang is not synced.
  std::vector<Outcome> outcomes;
  std::string now;        // RFC 3339.
  bool has_pods = false;  // All of its pods exist and are referenced.
};

// The PodGang's status according to its pods and the scheduler's objects. Equal to `old_status` if
// nothing changed, so that the caller can skip the write.
json::Value ComputeStatus(const StatusInput& input);

// A changed condition, for its event.
struct Transition {
  std::string type;
  std::string reason;
  std::string message;
};
// BackendSynced and TranslationDegraded conditions that became bad, or bad for another reason,
// between two statuses.
std::vector<Transition> BadTransitions(const json::Value& old_status, const json::Value& status);

// Conditions whose status or reason differs between two statuses, with the status in front of the
// reason. For the log.
std::vector<Transition> AllTransitions(const json::Value& old_status, const json::Value& status);

// Whether the gang only made progress: phase, score, and conditions that improved. Everything else
// (what removes gates, any failure) is written immediately.
bool OnlyImproves(const json::Value& old_status, const json::Value& status);

// Pods that count: not terminating, not a scheduler's placeholder.
bool CountsForStatus(const json::Value& pod);

// How well the bound pods are placed, from 0 to 1: 1 if every scope got the level it asked for.
// nullopt without constraints.
std::optional<double> PlacementScore(const GangInput& input, std::span<const json::Value> pods);

}  // namespace coppice::backends
