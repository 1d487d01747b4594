#include "services/workloads/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "api/well_known.h"
#include "kube/apply.h"
#include "kube/object.h"
#include "services/workloads/owned_pods.h"
#include "services/workloads/status.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;

constexpr std::string_view kIndexAnnotation = "batch.kubernetes.io/job-completion-index";

int64_t IndexOf(const Value& pod) {
  const std::string_view text = kube::Annotation(pod, kIndexAnnotation);
  int64_t index = -1;
  std::from_chars(text.data(), text.data() + text.size(), index);
  return index;
}

// A Job as it stands: its pods, counted.
struct Progress {
  OwnedPods::View pods;
  int64_t succeeded = 0;
  int64_t failed = 0;
  int64_t active = 0;
  std::set<int64_t> done_indexes;
  std::set<int64_t> busy_indexes;
};

// A Job counts its pods by phase, readiness and whether they leave; the rest is their own affair.
bool ChangesCounts(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  const Value &now = change.object, &before = change.old_object;
  return now["status"]["phase"] != before["status"]["phase"] || IsReady(now) != IsReady(before) ||
         kube::IsDeleting(now) != kube::IsDeleting(before) ||
         now["metadata"]["ownerReferences"] != before["metadata"]["ownerReferences"];
}

// What the controller writes itself matters only to what is done at a time.
bool ChangesJob(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  const Value& spec = change.object["spec"];
  return kube::predicates::GenerationChanged(change) || kube::IsDeleting(change.object) ||
         spec.Has("activeDeadlineSeconds") || spec.Has("ttlSecondsAfterFinished");
}

class JobController final : public kube::Reconciler {
 public:
  explicit JobController(kube::Runtime runtime)
      : client_(runtime.client),
        executor_(runtime.executor),
        jobs_(runtime.cache.InformerFor(api::kJobs)),
        pods_(runtime) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto job = jobs_.Get(key);
    if (!job) return pods_.Forget(key), Requeue::Done();
    if (kube::IsDeleting(*job)) return Requeue::Done();
    if (IsFinishedJob(*job)) return CleanUp(*job);
    const Progress progress = Measure(*job);
    const Value& spec = (*job)["spec"];
    if (progress.failed > spec["backoffLimit"].AsInt(6)) {
      return End(*job, progress, "Failed", "BackoffLimitExceeded",
                 "Job has reached the specified backoff limit");
    }
    if (const auto left = DeadlineLeft(*job); left && *left <= base::Duration::zero()) {
      return End(*job, progress, "Failed", "DeadlineExceeded",
                 "Job was active longer than specified deadline");
    }
    if (IsComplete(spec, progress)) {
      return End(*job, progress, "Complete", "CompletionsReached",
                 "Reached expected number of succeeded pods");
    }
    return Work(*job, progress);
  }

 private:
  Progress Measure(const Value& job) {
    Progress out{.pods = pods_.Look(job)};
    out.active = static_cast<int64_t>(out.pods.active.size()) + out.pods.pending_creates;
    for (const Value& pod : out.pods.active) out.busy_indexes.insert(IndexOf(pod));
    for (const Value& pod : out.pods.finished) {
      const bool succeeded = pod["status"]["phase"].AsString() == "Succeeded";
      (succeeded ? out.succeeded : out.failed) += 1;
      if (succeeded) out.done_indexes.insert(IndexOf(pod));
    }
    return out;
  }

  static bool IsComplete(const Value& spec, const Progress& progress) {
    if (spec.Has("completions")) return progress.succeeded >= spec["completions"].AsInt();
    return progress.succeeded > 0 && progress.active == 0;
  }

  std::optional<base::Duration> DeadlineLeft(const Value& job) const {
    if (!job["spec"].Has("activeDeadlineSeconds") || !job["status"].Has("startTime")) return {};
    const auto started = base::ParseRfc3339(job["status"]["startTime"].AsString());
    if (!started) return {};
    return *started + std::chrono::seconds(job["spec"]["activeDeadlineSeconds"].AsInt()) -
           executor_.Now();
  }

  base::Result<Requeue> Work(const Value& job, Progress progress) {
    const Value& spec = job["spec"];
    int64_t wanted = spec["parallelism"].AsInt(1);
    if (spec.Has("completions")) {
      wanted = std::min(wanted, spec["completions"].AsInt() - progress.succeeded);
    } else if (progress.succeeded > 0) {
      wanted = 0;  // A work queue job starts nothing once one pod has succeeded.
    }
    if (spec["suspend"].AsBool()) wanted = 0;
    for (; progress.active < wanted; ++progress.active) COPPICE_TRY(Start(job, progress));
    for (int64_t surplus = progress.active - wanted; surplus > 0 && !progress.pods.active.empty();
         --surplus) {
      COPPICE_TRY(pods_.Delete(job, progress.pods.active.back()));
      progress.pods.active.pop_back();
    }
    COPPICE_TRY(kube::PatchStatus(client_, api::kJobs, job, RunningStatus(job, progress)));
    const auto left = DeadlineLeft(job);
    return left ? Requeue::After(*left) : Requeue::Done();
  }

  base::Status Start(const Value& job, Progress& progress) {
    if (job["spec"]["completionMode"].AsString() != "Indexed") {
      return pods_.Create(job, job["spec"]["template"]);
    }
    int64_t index = 0;
    while (progress.done_indexes.contains(index) || progress.busy_indexes.contains(index)) ++index;
    progress.busy_indexes.insert(index);
    return pods_.Create(job, job["spec"]["template"], [&](Value& pod) {
      const std::string text = fmt::format("{}", index);
      Value& metadata = pod.Mutable("metadata");
      metadata.Set("generateName", fmt::format("{}-{}-", kube::Name(job), index));
      metadata.Mutable("annotations").Set(kIndexAnnotation, text);
      metadata.Mutable("labels").Set(kIndexAnnotation, text);
      pod.Mutable("spec").SetDefault("hostname", fmt::format("{}-{}", kube::Name(job), index));
      for (Value& container : pod.Mutable("spec").Mutable("containers").MutableItems()) {
        container.Mutable("env").Append(
            Value::Object({{"name", "JOB_COMPLETION_INDEX"}, {"value", text}}));
      }
    });
  }

  Value Counts(const Value& job, const Progress& progress) const {
    Value status = job["status"];
    status.SetDefault("startTime", base::FormatRfc3339(executor_.Now()));
    status.Set("succeeded", progress.succeeded ? Value(progress.succeeded) : Value());
    status.Set("failed", progress.failed ? Value(progress.failed) : Value());
    status.Set("terminating", progress.pods.terminating);
    return status;
  }

  Value RunningStatus(const Value& job, const Progress& progress) const {
    Value status = Counts(job, progress);
    const auto ready =
        std::count_if(progress.pods.active.begin(), progress.pods.active.end(), IsReady);
    status.Set("active", progress.active ? Value(progress.active) : Value());
    status.Set("ready", ready);
    const std::string now = base::FormatRfc3339(executor_.Now());
    if (job["spec"]["suspend"].AsBool()) {
      SetCondition(status, "Suspended", true, "JobSuspended", "Job suspended", now);
    } else if (kube::ConditionIs(job, "Suspended", "True")) {
      SetCondition(status, "Suspended", false, "JobResumed", "Job resumed", now);
    }
    return status;
  }

  base::Result<Requeue> End(const Value& job, const Progress& progress, std::string_view type,
                            std::string_view reason, std::string_view message) {
    for (const Value& pod : progress.pods.active) COPPICE_TRY(pods_.Delete(job, pod));
    Value status = Counts(job, progress);
    const std::string now = base::FormatRfc3339(executor_.Now());
    const bool complete = type == "Complete";
    status.Set("active", nullptr).Set("ready", 0);
    if (complete) status.Set("completionTime", now);
    SetCondition(status, complete ? "SuccessCriteriaMet" : "FailureTarget", true, reason, message,
                 now);
    SetCondition(status, type, true, reason, message, now);
    COPPICE_TRY(kube::PatchStatus(client_, api::kJobs, job, status));
    return Requeue::Done();
  }

  base::Result<Requeue> CleanUp(const Value& job) {
    if (!job["spec"].Has("ttlSecondsAfterFinished")) return Requeue::Done();
    const Value& ended = kube::ConditionIs(job, "Complete", "True")
                             ? kube::Condition(job, "Complete")
                             : kube::Condition(job, "Failed");
    const base::Time at =
        base::ParseRfc3339(ended["lastTransitionTime"].AsString()).value_or(executor_.Now());
    const base::Duration left =
        at + std::chrono::seconds(job["spec"]["ttlSecondsAfterFinished"].AsInt()) - executor_.Now();
    if (left > base::Duration::zero()) return Requeue::After(left);
    COPPICE_TRY(kube::DeleteObject(client_, api::kJobs, job, {.propagation = "Foreground"}));
    return Requeue::Done();
  }

  kube::Client& client_;
  kube::Executor& executor_;
  kube::Informer& jobs_;
  OwnedPods pods_;
};

}  // namespace

bool IsFinishedJob(const Value& job) {
  return kube::ConditionIs(job, "Complete", "True") || kube::ConditionIs(job, "Failed", "True");
}

void AddJobController(kube::Manager& manager) {
  kube::ControllerSpec spec{.name = "job", .workers = 4};
  spec.For(api::kJobs, ChangesJob).Owns(api::kPods, "Job", ChangesCounts);
  manager.AddController(std::move(spec), std::make_unique<JobController>(manager.runtime()));
}

}  // namespace coppice::services::workloads
