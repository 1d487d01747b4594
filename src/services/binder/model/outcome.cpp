#include "services/binder/model/outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/edit/core.h"
#include "api/edit/kai.h"
#include "api/key/kai.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "kube/object.h"

namespace coppice::services::binder {
namespace {

constexpr int kMaxExponent = 20;
constexpr std::string_view kPodBound = "PodBound";

}  // namespace

bool IsGivenUp(const json::Value& object) {
  const view::kai::BindRequest request(object);
  if (request.status().phase() != "Failed") return false;
  return !request.spec().has_backoffLimit() ||
         request.status().failedAttempts() >= request.spec().backoffLimit();
}

StatusChange NextStatus(const json::Value& object, const Outcome& outcome) {
  const view::kai::BindRequest request(object);
  const auto status = request.status();
  StatusChange change;
  const edit::kai::BindRequest patch(change.patch);
  const std::string_view phase = outcome.succeeded ? "Succeeded" : "Failed";
  if (status.phase() != phase) patch.status().set_phase(phase);
  if (outcome.succeeded) {
    using Key = key::kai::BindRequestStatus;
    if (status.has_reason()) patch.status().Json().Set(Key::reason, nullptr);
    return change;
  }
  if (status.reason() != outcome.error) patch.status().set_reason(outcome.error);
  const int64_t attempts = status.failedAttempts();
  if (request.spec().backoffLimit() > attempts) {
    const int exponent = static_cast<int>(std::min<int64_t>(attempts, kMaxExponent));
    change.retry = std::chrono::seconds(int64_t{1} << exponent);
    patch.status().set_failedAttempts(attempts + 1);
  }
  return change;
}

PodReport MakeReport(const json::Value& request, const Outcome& outcome) {
  const auto wanted = view::kai::BindRequest(request).spec();
  const std::string_view node = wanted.selectedNode();
  if (outcome.succeeded) {
    return {"Normal", "True", "Bound", fmt::format("Pod bound successfully to node {}", node)};
  }
  return {"Warning", "False", "BindingError",
          fmt::format("Failed to bind pod {}/{} to node {}: {}", kube::Namespace(request),
                      wanted.podName(), node, outcome.error)};
}

std::optional<json::Value> PodBoundPatch(const json::Value& pod, const PodReport& report,
                                         base::Time now) {
  const view::core::PodCondition current(kube::Condition(pod, kPodBound));
  if (current.status() == report.condition_status && current.reason() == report.reason &&
      current.message() == report.message) {
    return std::nullopt;
  }
  json::Value patch;
  edit::core::Pod(patch)
      .status()
      .add_conditions()
      .set_type(kPodBound)
      .set_status(report.condition_status)
      .set_reason(report.reason)
      .set_message(report.message)
      .set_lastTransitionTime(base::FormatRfc3339(now));
  return patch;
}

}  // namespace coppice::services::binder
