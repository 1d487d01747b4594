#include "cli/why/why_said.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/grove/pod_gang.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "backends/kueue/workload.h"
#include "backends/model/labels.h"
#include "cli/common/list_or_none.h"
#include "cli/why/why_owner.h"
#include "cli/why/why_refusal.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::cli {
namespace {

using engine::Explanation;
using engine::Verdict;
using json::Value;

Explanation Said(const Value& object, bool runs, std::string reason, std::string message) {
  Explanation out =
      ExplanationOf(object, runs ? Verdict::kRuns : Verdict::kWaits, std::move(reason), message);
  out.message = std::move(message);
  return out;
}

Explanation ForAPerson(Explanation out, std::string change) {
  out.verdict = Verdict::kNeedsAction;
  out.changes.push_back({"change", "", 1, "", std::move(change)});
  return out;
}

// The PodGroup that the pod names and that does not exist; empty if there is none.
base::Result<std::string> MissingGroup(kube::Client& client, const Value& pod) {
  const std::string name(kube::Annotation(pod, services::names::kPodGroupAnnotation));
  if (name.empty()) return name;
  const auto group = client.Get(api::kPodGroups, {std::string(kube::Namespace(pod)), name});
  if (group) return std::string();
  if (!group.Is(base::ErrorCode::kNotFound)) return group.error();
  return name;
}

bool IsOf(const Value& workload, const Value& gang, const std::vector<Value>& pods) {
  return kube::IsOwnedBy(workload, kube::Uid(gang)) ||
         std::any_of(pods.begin(), pods.end(),
                     [&](const Value& pod) { return kube::IsOwnedBy(workload, kube::Uid(pod)); });
}

// The first of the gang's Workloads that Kueue has not admitted; its own comes before those of its
// surplus pods.
base::Result<Value> WaitingWorkload(kube::Client& client, const Value& gang,
                                    const std::vector<Value>& pods) {
  for (const std::string version : {"v1beta2", "v1beta1"}) {
    COPPICE_ASSIGN(const std::vector<Value> workloads,
                   ListOrNone(client, backends::kueue::Workloads(version), kube::Namespace(gang)));
    for (const Value& workload : workloads) {
      const bool waits = !backends::kueue::IsAdmitted(workload);
      if (waits && IsOf(workload, gang, pods)) return workload;
    }
    if (!workloads.empty()) break;
  }
  return Value();
}

}  // namespace

Explanation WhatTheGangSays(const Value& gang) {
  const view::meta::Condition synced(kube::Condition(gang, api::grove::kGangBackendSynced));
  const view::meta::Condition scheduled(kube::Condition(gang, api::grove::kGangScheduled));
  const std::string backend(kube::Label(gang, backends::labels::kBackend));
  // Its backend is disabled, or its separate process is down.
  if (!synced && !scheduled) {
    return ForAPerson(
        Said(gang, false, "WaitingForBackend",
             fmt::format("the backend {} has not taken it up", backend)),
        fmt::format("enable the backend `{}` in the operator's configuration, or start its process",
                    backend));
  }
  const bool handed_over = synced.status() != "False";
  const view::meta::Condition said = handed_over ? scheduled : synced;
  const bool runs = handed_over && scheduled.status() == "True";
  std::string message(said.message());
  if (message.empty()) {
    message =
        fmt::format("the backend {} {}", backend,
                    runs ? "has placed it" : "leaves it to its scheduler, which has not said");
  }
  Explanation out = Said(gang, runs, std::string(said.reason("Unknown")), message);
  if (handed_over) return out;
  return ForAPerson(std::move(out),
                    fmt::format("give backend `{}` what it says it lacks; `coppice doctor` checks "
                                "all of it",
                                backend));
}

Explanation WhatTheGroupSays(const Value& group) {
  const view::kai::PodGroupStatus status = view::kai::PodGroup(group).status();
  const auto conditions = status.schedulingConditions();
  if (!conditions.empty()) {
    const view::kai::SchedulingCondition last = conditions.At(conditions.size() - 1);
    return Said(group, false, std::string(last.reason("Unschedulable")),
                std::string(last.message()));
  }
  if (status.phase() == "Running") {
    return Said(group, true, "Scheduled", "nothing waits");
  }
  return Said(group, false, "Unknown", "its scheduler has not said anything about it");
}

base::Result<Explanation> WhatThePodSays(kube::Client& client, const Value& pod) {
  const view::core::PodSpec spec = view::core::Pod(pod).spec();
  if (const std::string_view node = spec.nodeName(); !node.empty()) {
    return Said(pod, true, "Scheduled", fmt::format("it is on {}", node));
  }
  COPPICE_ASSIGN(const std::string missing, MissingGroup(client, pod));
  if (!missing.empty()) {
    return ForAPerson(Said(pod, false, "PodGroupNotFound",
                           fmt::format("its PodGroup \"{}\" is not there", missing)),
                      fmt::format("create PodGroup `{}`", missing));
  }
  const view::core::PodCondition scheduled(kube::Condition(pod, "PodScheduled"));
  if (!scheduled.message().empty()) {
    return Said(pod, false, std::string(scheduled.reason()), std::string(scheduled.message()));
  }
  COPPICE_ASSIGN(const Value found, LastWarningAbout(client, pod));
  if (const view::core::Event warning(found); warning) {
    return Said(pod, false, std::string(warning.reason()), std::string(warning.message()));
  }
  return Said(pod, false, "Unknown",
              fmt::format("its scheduler, {}, has not said anything about it",
                          spec.schedulerName("default-scheduler")));
}

base::Result<std::optional<Explanation>> WhatKueueSays(kube::Client& client, const Value& gang,
                                                       const std::vector<Value>& pods) {
  COPPICE_ASSIGN(const Value workload, WaitingWorkload(client, gang, pods));
  if (workload.IsNull()) return std::optional<Explanation>();
  const view::meta::Condition quota(kube::Condition(workload, backends::kueue::kQuotaReserved));
  const std::string_view message = quota.message("Kueue has not said anything about it");
  return std::optional(
      Said(gang, false, std::string(quota.reason("WaitingForQuota")),
           fmt::format("Kueue has not admitted Workload {}: {}", kube::Name(workload), message)));
}

}  // namespace coppice::cli
