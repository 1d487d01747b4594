#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "json/value.h"

// How a bind ended, as reported on the request and the pod (docs/behaviour/binder.md K-51 and
// K-52), without I/O.
namespace coppice::services::binder {

struct Outcome {
  bool succeeded = false;
  std::string error;

  static Outcome Success() { return {true, ""}; }
  static Outcome Failure(std::string error) { return {false, std::move(error)}; }
};

// Failed, with no attempt left: the scheduler decides again.
bool IsGivenUp(const json::Value& request);

struct StatusChange {
  json::Value patch;  // Of the request's status; null when nothing changes.
  std::optional<base::Duration> retry;
};

StatusChange NextStatus(const json::Value& request, const Outcome& outcome);

struct PodReport {
  std::string event_type;
  std::string condition_status;
  std::string reason;
  std::string message;
};

PodReport MakeReport(const json::Value& request, const Outcome& outcome);
// Condition PodBound as a strategic merge patch; nullopt if the pod already has it.
std::optional<json::Value> PodBoundPatch(const json::Value& pod, const PodReport& report,
                                         base::Time now);

}  // namespace coppice::services::binder
