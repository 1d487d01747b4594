#include "services/workloads/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "api/edit/batch.h"
#include "api/key/batch.h"
#include "api/labels.h"
#include "api/view/batch.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "services/workloads/owned_pods.h"
#include "services/workloads/status.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;
using view::batch::Job;
using view::batch::JobSpec;

constexpr std::string_view kIndexAnnotation = api::labels::kCompletionIndex;

int64_t IndexOf(const Value& pod) {
  const std::string_view text = kube::Annotation(pod, kIndexAnnotation);
  int64_t index = -1;
  std::from_chars(text.data(), text.data() + text.size(), index);
  return index;
}

// A Job as it stands: its pods, counted.
struct Progress {
  OwnedPods::Snapshot pods;
  int64_t succeeded = 0;
  int64_t failed = 0;
  int64_t active = 0;
  std::set<int64_t> done_indexes;
  std::set<int64_t> busy_indexes;
};

// A Job counts its pods by phase, readiness and whether they leave; the rest is their own affair.
bool ChangesCounts(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  const view::core::Pod now(change.object), before(change.old_object);
  return now.status().phase() != before.status().phase() ||
         IsReady(now.Json()) != IsReady(before.Json()) ||
         kube::IsDeleting(now.Json()) != kube::IsDeleting(before.Json()) ||
         now.metadata().ownerReferences().Json() != before.metadata().ownerReferences().Json();
}

// What the controller writes itself matters only to what is done at a time.
bool ChangesJob(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  const JobSpec spec = Job(change.object).spec();
  return kube::predicates::GenerationChanged(change) || kube::IsDeleting(change.object) ||
         spec.has_activeDeadlineSeconds() || spec.has_ttlSecondsAfterFinished();
}

class JobController final : public kube::Reconciler {
 public:
  explicit JobController(kube::Runtime runtime)
      : client_(runtime.client),
        executor_(runtime.executor),
        jobs_(runtime.cache.InformerFor(api::kJobs)),
        pods_(runtime) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto object = jobs_.Get(key);
    if (!object) return Requeue::Done();
    if (kube::IsDeleting(*object)) return Requeue::Done();
    const Job job(*object);
    if (IsFinishedJob(*object)) return CleanUp(job);
    const Progress progress = Measure(job);
    if (progress.failed > job.spec().backoffLimit(6)) {
      return End(job, progress, "Failed", "BackoffLimitExceeded",
                 "Job has reached the specified backoff limit");
    }
    if (const auto left = DeadlineLeft(job); left && *left <= base::Duration::zero()) {
      return End(job, progress, "Failed", "DeadlineExceeded",
                 "Job was active longer than specified deadline");
    }
    if (IsComplete(job.spec(), progress)) {
      return End(job, progress, "Complete", "CompletionsReached",
                 "Reached expected number of succeeded pods");
    }
    return Work(job, progress);
  }

 private:
  Progress Measure(Job job) {
    Progress out{.pods = pods_.Look(job.Json())};
    out.active = static_cast<int64_t>(out.pods.active.size());
    for (const Value& pod : out.pods.active) out.busy_indexes.insert(IndexOf(pod));
    for (const Value& pod : out.pods.finished) {
      const bool succeeded = view::core::Pod(pod).status().phase() == "Succeeded";
      (succeeded ? out.succeeded : out.failed) += 1;
      if (succeeded) out.done_indexes.insert(IndexOf(pod));
    }
    return out;
  }

  static bool IsComplete(JobSpec spec, const Progress& progress) {
    if (spec.has_completions()) return progress.succeeded >= spec.completions();
    return progress.succeeded > 0 && progress.active == 0;
  }

  std::optional<base::Duration> DeadlineLeft(Job job) const {
    if (!job.spec().has_activeDeadlineSeconds()) return {};
    const auto started = base::ParseRfc3339(job.status().startTime());
    if (!started) return {};
    return *started + std::chrono::seconds(job.spec().activeDeadlineSeconds()) - executor_.Now();
  }

  base::Result<Requeue> Work(Job job, Progress progress) {
    const JobSpec spec = job.spec();
    int64_t wanted = spec.parallelism(1);
    if (spec.has_completions()) {
      wanted = std::min(wanted, spec.completions() - progress.succeeded);
    } else if (progress.succeeded > 0) {
      wanted = 0;  // A work queue job starts nothing once one pod has succeeded.
    }
    if (spec.suspend()) wanted = 0;
    for (; progress.active < wanted; ++progress.active) COPPICE_TRY(Start(job, progress));
    for (int64_t surplus = progress.active - wanted; surplus > 0 && !progress.pods.active.empty();
         --surplus) {
      COPPICE_TRY(pods_.Delete(progress.pods.active.back()));
      progress.pods.active.pop_back();
    }
    COPPICE_TRY(kube::PatchStatus(client_, api::kJobs, job.Json(), RunningStatus(job, progress)));
    const auto left = DeadlineLeft(job);
    return left ? Requeue::After(*left) : Requeue::Done();
  }

  base::Status Start(Job job, Progress& progress) {
    if (job.spec().completionMode() != "Indexed") {
      return pods_.Create(job.Json(), job.spec().template_());
    }
    int64_t index = 0;
    while (progress.done_indexes.contains(index) || progress.busy_indexes.contains(index)) ++index;
    progress.busy_indexes.insert(index);
    return pods_.Create(job.Json(), job.spec().template_(),
                        [&](edit::core::Pod pod) { SetIndex(job, index, pod); });
  }

  static void SetIndex(Job job, int64_t index, edit::core::Pod pod) {
    const std::string text = fmt::format("{}", index);
    const std::string name = fmt::format("{}-{}", job.metadata().name(), index);
    pod.metadata().set_generateName(name + "-");
    pod.metadata().annotations().Set(kIndexAnnotation, text);
    pod.metadata().labels().Set(kIndexAnnotation, text);
    if (!job.spec().template_().spec().has_hostname()) pod.spec().set_hostname(name);
    const auto containers = pod.spec().containers();
    for (size_t i = 0; i < containers.size(); ++i) {
      containers.At(i).add_env().set_name("JOB_COMPLETION_INDEX").set_value(text);
    }
  }

  Value Counts(Job job, const Progress& progress) const {
    Value status = job.status().Json();
    const edit::batch::JobStatus edit(status);
    if (!job.status().has_startTime()) edit.set_startTime(base::FormatRfc3339(executor_.Now()));
    edit.set_terminating(progress.pods.terminating);
    status.Set(key::batch::JobStatus::succeeded, NonZero(progress.succeeded));
    status.Set(key::batch::JobStatus::failed, NonZero(progress.failed));
    return status;
  }

  Value RunningStatus(Job job, const Progress& progress) const {
    Value status = Counts(job, progress);
    const edit::batch::JobStatus edit(status);
    const auto ready =
        std::count_if(progress.pods.active.begin(), progress.pods.active.end(), IsReady);
    status.Set(key::batch::JobStatus::active, NonZero(progress.active));
    edit.set_ready(ready);
    const std::string now = base::FormatRfc3339(executor_.Now());
    if (job.spec().suspend()) {
      SetCondition(edit.conditions().Json(), "Suspended", "True", "JobSuspended", "Job suspended",
                   now);
    } else if (kube::ConditionIs(job.Json(), "Suspended", "True")) {
      SetCondition(edit.conditions().Json(), "Suspended", "False", "JobResumed", "Job resumed",
                   now);
    }
    return status;
  }

  base::Result<Requeue> End(Job job, const Progress& progress, std::string_view type,
                            std::string_view reason, std::string_view message) {
    for (const Value& pod : progress.pods.active) COPPICE_TRY(pods_.Delete(pod));
    Value status = Counts(job, progress);
    const edit::batch::JobStatus edit(status);
    const std::string now = base::FormatRfc3339(executor_.Now());
    const bool complete = type == "Complete";
    edit.clear_active();
    edit.set_ready(0);
    if (complete) edit.set_completionTime(now);
    Value& conditions = edit.conditions().Json();
    SetCondition(conditions, complete ? "SuccessCriteriaMet" : "FailureTarget", "True", reason,
                 message, now);
    SetCondition(conditions, type, "True", reason, message, now);
    COPPICE_TRY(kube::PatchStatus(client_, api::kJobs, job.Json(), status));
    return Requeue::Done();
  }

  base::Result<Requeue> CleanUp(Job job) {
    if (!job.spec().has_ttlSecondsAfterFinished()) return Requeue::Done();
    const bool complete = kube::ConditionIs(job.Json(), "Complete", "True");
    const view::batch::JobCondition ended(
        kube::Condition(job.Json(), complete ? "Complete" : "Failed"));
    const base::Time at = base::ParseRfc3339(ended.lastTransitionTime()).value_or(executor_.Now());
    const base::Duration left =
        at + std::chrono::seconds(job.spec().ttlSecondsAfterFinished()) - executor_.Now();
    if (left > base::Duration::zero()) return Requeue::After(left);
    COPPICE_TRY(kube::DeleteObject(client_, api::kJobs, job.Json(), {.propagation = "Foreground"}));
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
