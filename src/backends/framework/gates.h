#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backends/compatibility/policy.h"
#include "json/value.h"

namespace coppice::backends {

// Whether a pod may be handed to its scheduler.
struct ReleaseDecision {
  bool release = false;
  std::string reason;  // Why not: "gang is not initialized", "base gang llm-0 is not scheduled".
  // A JSON patch that removes our gate (with a test on its index) and pins surplus pods to the
  // gang's domain. Null unless `release`; empty if there is no gate to remove.
  json::Value patch;
};

// Input of DecideRelease, read by the caller.
struct ReleaseInput {
  json::Value pod;
  json::Value gang;                      // Null if it does not exist.
  std::optional<json::Value> base_gang;  // Set for pods of scaled gangs; null value: missing.
  bool surplus = false;                  // Waits for the gang to be scheduled first.
  // The Scheduled condition is True and at least one of the gang's pods is still placed.
  bool gang_scheduled = false;
  bool base_gang_scheduled = false;
  // nodeSelector entries that keep the pod in the gang's domain.
  json::Value pin = json::Value::Object();
  // Tolerations to add to the pod.
  json::Value tolerations = json::Value::Array();
  // Why an admission layer holds the pod; "" if it does not.
  std::string held_by;
  std::string gate;
  const CompatibilityPolicy* policy = &CompatibilityPolicy::Coppice();
};

ReleaseDecision DecideRelease(const ReleaseInput& input);
// Whether the pod has this scheduling gate.
bool HasGate(const json::Value& pod, std::string_view gate);
// Removes only `gate` and Grove's gate from a pod; null if it has neither.
json::Value GateRemovalPatch(const json::Value& pod, std::string_view gate);

}  // namespace coppice::backends
