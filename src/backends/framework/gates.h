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
  // A JSON patch that takes off our gate by name (with a test on its index) and, for surplus
  // pods, pins them to the gang's domain. Null unless `release`; empty when no gate is left.
  json::Value patch;
};

// Facts for the decision, read by whoever asks.
struct ReleaseInput {
  json::Value pod;
  json::Value gang;                      // Null when it does not exist.
  std::optional<json::Value> base_gang;  // Set for pods of scaled gangs; null value: missing.
  bool surplus = false;                  // Waits for the gang to be scheduled first.
  // What Scheduled says, and has pods still to say it of.
  bool gang_scheduled = false;
  bool base_gang_scheduled = false;
  // nodeSelector entries that keep the pod in the gang's domain.
  json::Value pin = json::Value::Object();
  // Tolerations to add to the pod.
  json::Value tolerations = json::Value::Array();
  // Why an admission layer holds the pod back; "" when it does not.
  std::string held_by;
  std::string gate;
  const CompatibilityPolicy* policy = &CompatibilityPolicy::Coppice();
};

ReleaseDecision DecideRelease(const ReleaseInput& input);
// Whether a scheduling gate is on the pod.
bool HasGate(const json::Value& pod, std::string_view gate);
// Removes `gate` and Grove's gate from a pod, nothing else; null when it has neither.
json::Value GateRemovalPatch(const json::Value& pod, std::string_view gate);

}  // namespace coppice::backends
