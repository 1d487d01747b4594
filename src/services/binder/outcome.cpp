#include "services/binder/outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/object.h"

namespace coppice::services::binder {
namespace {

constexpr int kMaxExponent = 20;

void SetIfChanged(const json::Value& status, std::string_view key, const json::Value& value,
                  json::Value& patch) {
  if (status[key] != value) patch.Mutable("status").Set(key, value);
}

}  // namespace

bool IsGivenUp(const json::Value& request) {
  const json::Value& status = request["status"];
  if (status["phase"].AsString() != "Failed") return false;
  const json::Value& limit = request["spec"]["backoffLimit"];
  return !limit.IsInt() || status["failedAttempts"].AsInt() >= limit.AsInt();
}

StatusChange NextStatus(const json::Value& request, const Outcome& outcome) {
  const json::Value& status = request["status"];
  StatusChange change;
  if (outcome.succeeded) {
    SetIfChanged(status, "phase", "Succeeded", change.patch);
    if (status.Has("reason")) change.patch.Mutable("status").Set("reason", json::Value());
    return change;
  }
  SetIfChanged(status, "phase", "Failed", change.patch);
  SetIfChanged(status, "reason", outcome.error, change.patch);
  const int64_t attempts = status["failedAttempts"].AsInt();
  const json::Value& limit = request["spec"]["backoffLimit"];
  if (limit.IsInt() && limit.AsInt() > attempts) {
    const int exponent = static_cast<int>(std::min<int64_t>(attempts, kMaxExponent));
    change.retry = std::chrono::seconds(int64_t{1} << exponent);
    SetIfChanged(status, "failedAttempts", attempts + 1, change.patch);
  }
  return change;
}

PodReport MakeReport(const json::Value& request, const Outcome& outcome) {
  const std::string_view node = request["spec"]["selectedNode"].AsString();
  if (outcome.succeeded) {
    return {"Normal", "True", "Bound", fmt::format("Pod bound successfully to node {}", node)};
  }
  return {"Warning", "False", "BindingError",
          fmt::format("Failed to bind pod {}/{} to node {}: {}", kube::Namespace(request),
                      request["spec"]["podName"].AsString(), node, outcome.error)};
}

std::optional<json::Value> PodBoundPatch(const json::Value& pod, const PodReport& report,
                                         base::Time now) {
  const json::Value& current = kube::Condition(pod, "PodBound");
  if (current["status"].AsString() == report.condition_status &&
      current["reason"].AsString() == report.reason &&
      current["message"].AsString() == report.message) {
    return std::nullopt;
  }
  json::Value patch = json::Value::Object();
  patch.Mutable("status")
      .Mutable("conditions")
      .Append(json::Value::Object({{"type", "PodBound"},
                                   {"status", report.condition_status},
                                   {"reason", report.reason},
                                   {"message", report.message},
                                   {"lastTransitionTime", base::FormatRfc3339(now)}}));
  return patch;
}

}  // namespace coppice::services::binder
