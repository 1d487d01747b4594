#include "cli/why/why_owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/view/apps.h"
#include "api/view/batch.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "cli/why/why_pods.h"
#include "cli/why/why_refusal.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using engine::Explanation;
using engine::Verdict;
using json::Value;

// The operator creates gangs within seconds.
constexpr base::Duration kOperatorIdleAfter = std::chrono::seconds(30);
constexpr std::string_view kTemplateHash = "pod-template-hash";

std::string_view EventTime(const Value& object) {
  const view::core::Event event(object);
  const std::string_view seen = event.lastTimestamp(event.eventTime());
  return seen.empty() ? event.metadata().creationTimestamp() : seen;
}

// The number of pods that it wants now.
int64_t WantedPods(const Value& owner) {
  // ReplicaSets and StatefulSets have replicas in the same place.
  if (kube::Kind(owner) != "Job") return view::apps::Deployment(owner).spec().replicas(1);
  const view::batch::Job job(owner);
  const int64_t at_once = job.spec().parallelism(1);
  if (!job.spec().has_completions()) return at_once;
  return std::min(at_once, job.spec().completions(1) - job.status().succeeded());
}

std::optional<Explanation> Finished(const Value& job) {
  if (kube::ConditionIs(job, "Complete", "True")) {
    return ExplanationOf(
        job, Verdict::kRuns, "Completed",
        fmt::format("{} pods succeeded", view::batch::Job(job).status().succeeded()));
  }
  const view::batch::JobCondition failed(kube::Condition(job, "Failed"));
  if (failed.status() != "True") return std::nullopt;
  Explanation out = ExplanationOf(job, Verdict::kNeedsAction, std::string(failed.reason("Failed")),
                                  fmt::format("the Job has failed: {}", failed.message()));
  const bool late = failed.reason() == "DeadlineExceeded";
  out.changes.push_back({late ? "raiseDeadline" : "fixContainer", std::string(kube::Name(job)), 1,
                         "Job",
                         late ? "create the Job again with a longer spec.activeDeadlineSeconds"
                              : "fix what made its pods fail, and create the Job again"});
  return out;
}

Explanation Suspended(const Value& owner) {
  Explanation out =
      ExplanationOf(owner, Verdict::kNeedsAction, "Suspended",
                    fmt::format("the {} is suspended, and makes no {}", kube::Kind(owner),
                                kube::Kind(owner) == "Job" ? "pods" : "Jobs"));
  out.changes.push_back({"resume", std::string(kube::Name(owner)), 1,
                         std::string(kube::Kind(owner)), "resume it: set spec.suspend to false"});
  return out;
}

// A CronJob that has not created a Job.
Explanation ExplainCronJob(const Value& cron_job) {
  const view::batch::CronJobSpec spec = view::batch::CronJob(cron_job).spec();
  if (spec.suspend()) return Suspended(cron_job);
  return ExplanationOf(
      cron_job, Verdict::kWaits, "NoJobs",
      fmt::format("it has no Job at the moment; its schedule is `{}`", spec.schedule()));
}

// Whether a rolling update may stop old pods before new ones run.
bool MayStopFirst(const Value& object) {
  const view::apps::DeploymentSpec spec = view::apps::Deployment(object).spec();
  if (spec.strategy().type() == "Recreate") return true;
  const Value& most = spec.strategy().rollingUpdate().maxUnavailable();
  if (most.IsInt()) return most.AsInt() > 0;
  int64_t percent = 0;
  const std::string_view text = most.AsString();
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return percent * spec.replicas(1) >= 100;
}

// A Deployment creates its pods through a ReplicaSet.
base::Result<Value> RefusalOf(kube::Client& client, const Value& owner) {
  if (kube::Kind(owner) != "Deployment") return LastWarningAbout(client, owner, "FailedCreate");
  COPPICE_ASSIGN(const kube::ObjectList sets,
                 client.List(api::kReplicaSets, {.ns = std::string(kube::Namespace(owner))}));
  Value newest;
  for (const Value& set : sets.items) {
    if (!kube::IsOwnedBy(set, kube::Uid(owner))) continue;
    COPPICE_ASSIGN(const Value refusal, LastWarningAbout(client, set, "FailedCreate"));
    if (refusal.IsNull()) continue;
    if (newest.IsNull() || EventTime(newest) <= EventTime(refusal)) newest = refusal;
  }
  return newest;
}

}  // namespace

void AddRollout(const Value& deployment, const std::vector<Value>& all,
                const std::vector<Value>& pods, Explanation& out) {
  const bool lacks_room =
      out.verdict == Verdict::kWaits && !out.changes.empty() && out.changes[0].kind == "freeGpus";
  if (!lacks_room || pods.empty() || MayStopFirst(deployment)) return;
  const std::string_view hash = kube::Label(pods.front(), kTemplateHash);
  const bool old = std::any_of(all.begin(), all.end(), [&](const Value& pod) {
    const std::string_view other = kube::Label(pod, kTemplateHash);
    const std::string set = fmt::format("{}-{}", kube::Name(deployment), other);
    return other != hash && !other.empty() &&
           kube::Metadata(pod).ownerReferences().At(0).name() == set;
  });
  if (!old) return;
  out.alternative = {{"stopFirst", std::string(kube::Name(deployment)), 1, "Deployment",
                      "let an old pod go first: set spec.strategy.rollingUpdate.maxUnavailable to "
                      "1"}};
}

Explanation ExplainSetWithoutGangs(const Value& set, base::Time now) {
  if (view::grove::PodCliqueSet(set).spec().replicas(1) == 0) {
    Explanation out =
        ExplanationOf(set, Verdict::kNeedsAction, "ScaledToZero", "the set asks for no replicas");
    out.changes.push_back(
        {"scale", std::string(kube::Name(set)), 1, "", "scale it to 1 or more: set spec.replicas"});
    return out;
  }
  const auto created = base::ParseRfc3339(kube::Metadata(set).creationTimestamp());
  if (created && now - *created < kOperatorIdleAfter) {
    return ExplanationOf(set, Verdict::kWaits, "NoGangs",
                         "the operator has made no gang of it yet");
  }
  Explanation out =
      ExplanationOf(set, Verdict::kNeedsAction, "OperatorNotRunning", "no PodGang exists for it");
  out.changes.push_back(
      {"start", "operator", 1, "", "start the operator, or see in its log why it does not act"});
  return out;
}

base::Result<Value> LastWarningAbout(kube::Client& client, const Value& object,
                                     std::string_view reason) {
  COPPICE_ASSIGN(
      const kube::ObjectList events,
      client.List(api::kEvents, {.ns = std::string(kube::Namespace(object)),
                                 .field_selector = fmt::format(
                                     "involvedObject.name={},type=Warning", kube::Name(object))}));
  Value last;
  for (const Value& event : events.items) {
    const view::core::Event view(event);
    if (view.involvedObject().uid() != kube::Uid(object)) continue;
    if (!reason.empty() && view.reason() != reason) continue;
    if (last.IsNull() || EventTime(event) >= EventTime(last)) last = event;
  }
  return last;
}

base::Result<std::optional<Explanation>> ExplainOwner(kube::Client& client, const Value& owner,
                                                      const std::vector<Value>& pods,
                                                      base::Time now) {
  if (kube::Kind(owner) == "CronJob") return std::optional(ExplainCronJob(owner));
  if (kube::Kind(owner) == "Job") {
    if (auto finished = Finished(owner)) return finished;
    if (view::batch::Job(owner).spec().suspend()) return std::optional(Suspended(owner));
  }
  const int64_t wanted = WantedPods(owner);
  const auto active = std::count_if(pods.begin(), pods.end(), [](const Value& pod) {
    const std::string_view phase = view::core::Pod(pod).status().phase();
    return phase != "Succeeded" && phase != "Failed" && !kube::IsDeleting(pod);
  });
  if (wanted == 0) {
    Explanation out = ExplanationOf(owner, Verdict::kNeedsAction, "ScaledToZero",
                                    fmt::format("the {} asks for no pods", kube::Kind(owner)));
    out.changes.push_back({"scale", std::string(kube::Name(owner)), 1, "",
                           fmt::format("scale it to 1 or more: kubectl scale --replicas=1 {}/{}",
                                       kube::Kind(owner), kube::Name(owner))});
    return std::optional(std::move(out));
  }
  if (active >= wanted) return std::optional<Explanation>();
  COPPICE_ASSIGN(const Value refusal, RefusalOf(client, owner));
  if (refusal.IsNull()) {
    COPPICE_ASSIGN(auto stuck, ExplainStuckPods(client, owner, pods, now));
    if (stuck) return stuck;
    if (active > 0) return std::optional<Explanation>();
    return std::optional(ExplanationOf(
        owner, Verdict::kWaits, "NoPods",
        fmt::format("the {} has made none of its {} pods yet", kube::Kind(owner), wanted)));
  }
  std::string_view message = view::core::Event(refusal).message();
  if (message.starts_with("Error creating: ")) message.remove_prefix(16);
  return std::optional(ExplainRefusal(owner, message, wanted - active));
}

}  // namespace coppice::cli
