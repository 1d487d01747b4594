#include "cli/why/why_said.h"

#include <fmt/format.h>

#include "api/well_known.h"
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

// The PodGroup that the pod names and that nobody has made; empty when there is none such.
base::Result<std::string> MissingGroup(kube::Client& client, const Value& pod) {
  const std::string name(kube::Annotation(pod, services::names::kPodGroupAnnotation));
  if (name.empty()) return name;
  const auto group = client.Get(api::kPodGroups, {std::string(kube::Namespace(pod)), name});
  if (group) return std::string();
  if (!group.Is(base::ErrorCode::kNotFound)) return group.error();
  return name;
}

}  // namespace

Explanation WhatTheGangSays(const Value& gang) {
  const Value& synced = kube::Condition(gang, "BackendSynced");
  const Value& scheduled = kube::Condition(gang, "Scheduled");
  const std::string backend(kube::Label(gang, "grove.io/scheduler-backend"));
  // Its backend is disabled, or runs in a process of its own that is down.
  if (synced.IsNull() && scheduled.IsNull()) {
    return ForAPerson(
        Said(gang, false, "WaitingForBackend",
             fmt::format("the backend {} has not taken it up", backend)),
        fmt::format("enable the backend `{}` in the operator's configuration, or start its process",
                    backend));
  }
  const bool handed_over = synced["status"].AsString() != "False";
  const Value& said = handed_over ? scheduled : synced;
  const bool runs = handed_over && scheduled["status"].AsString() == "True";
  std::string message = said["message"].ToString();
  if (message.empty()) {
    message =
        fmt::format("the backend {} {}", backend,
                    runs ? "has placed it" : "leaves it to its scheduler, which has not said");
  }
  Explanation out = Said(gang, runs, said["reason"].ToString("Unknown"), message);
  if (handed_over) return out;
  return ForAPerson(std::move(out),
                    fmt::format("give backend `{}` what it says it lacks; `coppice doctor` checks "
                                "all of it",
                                backend));
}

Explanation WhatTheGroupSays(const Value& group) {
  const Value& conditions = group["status"]["schedulingConditions"];
  if (!conditions.empty()) {
    const Value& last = conditions.At(conditions.size() - 1);
    return Said(group, false, last["reason"].ToString("Unschedulable"), last["message"].ToString());
  }
  if (group["status"]["phase"].AsString() == "Running") {
    return Said(group, true, "Scheduled", "nothing waits");
  }
  return Said(group, false, "Unknown", "its scheduler has not said anything about it");
}

base::Result<Explanation> WhatThePodSays(kube::Client& client, const Value& pod) {
  if (const std::string_view node = pod["spec"]["nodeName"].AsString(); !node.empty()) {
    return Said(pod, true, "Scheduled", fmt::format("it is on {}", node));
  }
  COPPICE_ASSIGN(const std::string missing, MissingGroup(client, pod));
  if (!missing.empty()) {
    return ForAPerson(Said(pod, false, "PodGroupNotFound",
                           fmt::format("its PodGroup \"{}\" is not there", missing)),
                      fmt::format("create PodGroup `{}`", missing));
  }
  const Value& scheduled = kube::Condition(pod, "PodScheduled");
  if (!scheduled["message"].AsString().empty()) {
    return Said(pod, false, scheduled["reason"].ToString(), scheduled["message"].ToString());
  }
  COPPICE_ASSIGN(const Value warning, LastWarningAbout(client, pod));
  if (!warning.IsNull()) {
    return Said(pod, false, warning["reason"].ToString(), warning["message"].ToString());
  }
  return Said(pod, false, "Unknown",
              fmt::format("its scheduler, {}, has not said anything about it",
                          pod["spec"]["schedulerName"].ToString("default-scheduler")));
}

}  // namespace coppice::cli
