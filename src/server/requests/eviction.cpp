#include <fmt/format.h>

#include <chrono>

#include "api/selectors/label_selector.h"
#include "kube/object.h"
#include "server/kinds/checks/conditions.h"
#include "server/model/errors.h"
#include "server/model/storages.h"
#include "server/requests/subresources.h"

namespace coppice::server {
namespace {

std::vector<store::VersionPtr> BudgetsOf(Core& core, const json::Value& pod) {
  std::vector<store::VersionPtr> found;
  const auto listing = core.store().List(kBudgets, {std::string(kube::Namespace(pod)) + "/"});
  if (!listing) return found;
  for (const store::VersionPtr& budget : listing->items) {
    const auto selector = api::LabelSelector::FromObject(budget->value()["spec"]["selector"]);
    if (selector && selector->MatchesObject(pod)) found.push_back(budget);
  }
  return found;
}

base::Error NotNow(std::string message, std::string cause) {
  return base::Error(base::ErrorCode::kTooManyRequests, std::move(message))
      .WithCause({"DisruptionBudget", "", std::move(cause)});
}

// Takes one disruption from the budget; a conflict means that it must be read again.
base::Result<json::Value> TakeDisruption(const json::Value& budget, std::string_view pod,
                                         base::Time now) {
  const json::Value& status = budget["status"];
  const std::string name(kube::Name(budget));
  if (status["observedGeneration"].AsInt() < kube::Generation(budget)) {
    return NotNow(
        "Cannot evict pod as it would violate the pod's disruption budget.",
        fmt::format("The disruption budget {} is still being processed by the server.", name));
  }
  if (status["disruptionsAllowed"].AsInt() <= 0) {
    return NotNow(
        "Cannot evict pod as it would violate the pod's disruption budget.",
        fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name,
                    status["desiredHealthy"].AsInt(), status["currentHealthy"].AsInt()));
  }
  json::Value next = budget;
  json::Value& changed = next.Mutable("status");
  changed.Set("disruptionsAllowed", status["disruptionsAllowed"].AsInt() - 1);
  changed.Mutable("disruptedPods").Set(pod, base::FormatRfc3339(now));
  return next;
}

bool NeedsNoBudget(const json::Value& pod) {
  const std::string_view phase = pod["status"]["phase"].AsString();
  return kube::IsDeleting(pod) || phase == "Succeeded" || phase == "Failed" || phase == "Pending";
}

// A pod that is not ready counts for nothing: whether it may go at any time, or only while enough
// others are healthy, is the budget's choice.
bool GoesFreely(const json::Value& pod, const json::Value& budget) {
  if (kube::ConditionIs(pod, "Ready", "True")) return false;
  if (budget["spec"]["unhealthyPodEvictionPolicy"].AsString() == "AlwaysAllow") return true;
  const int64_t desired = budget["status"]["desiredHealthy"].AsInt();
  return desired > 0 && budget["status"]["currentHealthy"].AsInt() >= desired;
}

base::Status AskBudget(Core& core, const Request& request, const json::Value& pod) {
  const std::vector<store::VersionPtr> budgets = BudgetsOf(core, pod);
  if (budgets.empty()) return {};
  if (budgets.size() == 1 && GoesFreely(pod, budgets[0]->value())) return {};
  if (budgets.size() > 1) {
    return base::Internal(
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
        "support.");
  }
  Request update = request;
  update.served = core.registry()->Find("policy", "v1", "poddisruptionbudgets");
  update.name = kube::Name(budgets[0]->value());
  update.subresource = "status";
  const auto result = core.ModifyQuietly(update, [&](const json::Value& budget) {
    return TakeDisruption(budget, request.name, core.clock().Now());
  });
  if (!result) return result.error();
  return {};
}

kube::DeleteOptions OptionsOf(const json::Value& eviction) {
  const json::Value& given = eviction["deleteOptions"];
  kube::DeleteOptions options;
  if (given.Has("gracePeriodSeconds"))
    options.grace_period_seconds = given["gracePeriodSeconds"].AsInt();
  if (given["preconditions"].Has("uid")) options.uid = given["preconditions"]["uid"].ToString();
  if (given["preconditions"].Has("resourceVersion")) {
    options.resource_version = given["preconditions"]["resourceVersion"].ToString();
  }
  options.propagation = given["propagationPolicy"].ToString();
  options.dry_run = !given["dryRun"].empty();
  return options;
}

}  // namespace

base::Result<Outcome> EvictPod(Core& core, const Request& request, const json::Value& eviction) {
  if (const std::string_view name = kube::Name(eviction); !name.empty() && name != request.name) {
    return BadRequest("name in URL does not match name in Eviction object");
  }
  Request pod_request = request;
  pod_request.subresource = "";
  COPPICE_ASSIGN(const Outcome pod, core.Get(pod_request));
  COPPICE_TRY(AdmitSubresource(core, request, eviction));
  kube::DeleteOptions options = OptionsOf(eviction);
  pod_request.dry_run |= options.dry_run;
  if (!NeedsNoBudget(pod.object)) {
    Request ask = request;
    ask.dry_run = pod_request.dry_run;
    COPPICE_TRY(AskBudget(core, ask, pod.object));
    COPPICE_TRY(core.ModifyQuietly(pod_request, [&](const json::Value& current) {
      json::Value marked = current;
      SetCondition(marked, "DisruptionTarget", "True", "EvictionByEvictionAPI",
                   "Eviction API: evicting", core.clock().Now());
      return base::Result<json::Value>(std::move(marked));
    }));
    options.resource_version.reset();  // The mark above has just changed it.
  }
  COPPICE_TRY(core.Delete(pod_request, options));
  return Outcome{SuccessStatus(201), nullptr, true};
}

}  // namespace coppice::server
