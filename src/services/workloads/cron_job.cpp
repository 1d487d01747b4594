#include "services/workloads/cron_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/cron_schedule.h"
#include "api/edit/batch.h"
#include "api/labels.h"
#include "api/view/batch.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/cache/cache.h"
#include "kube/cache/index.h"
#include "kube/events/events.h"
#include "kube/object.h"
#include "services/workloads/job.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;
using view::batch::CronJob;
using EditStatus = edit::batch::CronJobStatus;

const api::Resource kCronJobs{"batch", "v1", "cronjobs", "CronJob", true};
constexpr std::string_view kScheduledAt = api::labels::kCronJobTime;
constexpr std::string_view kSource = "cronjob-controller";

base::Time CreationTime(CronJob object) {
  return base::ParseRfc3339(object.metadata().creationTimestamp()).value_or(base::Time());
}

bool Succeeded(const Value& job) { return kube::ConditionIs(job, "Complete", "True"); }

struct OwnedJobs {
  std::vector<Value> active, succeeded, failed;  // Oldest first.
};

// The newest time that has come since the last start, and when to look again.
struct Due {
  std::optional<base::Time> time, next;
};

class CronJobController final : public kube::Reconciler {
 public:
  explicit CronJobController(kube::Runtime runtime)
      : client_(runtime.client),
        executor_(runtime.executor),
        events_(runtime.events),
        crons_(runtime.cache.InformerFor(kCronJobs)),
        jobs_(runtime.cache.InformerFor(api::kJobs)) {
    kube::AddOwnerIndex(jobs_);
  }

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto object = crons_.Get(key);
    if (!object || kube::IsDeleting(*object)) return Requeue::Done();
    const CronJob cron(*object);
    const OwnedJobs jobs = Look(*object);
    COPPICE_TRY(Forget(jobs.succeeded, cron.spec().successfulJobsHistoryLimit(3)));
    COPPICE_TRY(Forget(jobs.failed, cron.spec().failedJobsHistoryLimit(1)));
    Value status = Status(cron, jobs);
    const base::Result<Requeue> again = StartDue(cron, jobs, EditStatus(status));
    COPPICE_TRY(kube::PatchStatus(client_, kCronJobs, *object, status));
    return again;
  }

 private:
  OwnedJobs Look(const Value& cron) const {
    std::vector<Value> all = kube::OwnedBy(jobs_, kube::Uid(cron));
    std::sort(all.begin(), all.end(), [](const Value& a, const Value& b) {
      return kube::Annotation(a, kScheduledAt) < kube::Annotation(b, kScheduledAt);
    });
    OwnedJobs jobs;
    for (Value& job : all) {
      if (kube::IsDeleting(job)) continue;
      auto& list = !IsFinishedJob(job) ? jobs.active
                   : Succeeded(job)    ? jobs.succeeded
                                       : jobs.failed;
      list.push_back(std::move(job));
    }
    return jobs;
  }

  base::Status Forget(const std::vector<Value>& finished, int64_t limit) {
    for (size_t i = 0; i + static_cast<size_t>(limit) < finished.size(); ++i) {
      COPPICE_TRY(kube::DeleteObject(client_, api::kJobs, finished[i]));
    }
    return {};
  }

  static void AddActive(const Value& job, EditStatus status) {
    status.add_active()
        .set_apiVersion("batch/v1")
        .set_kind("Job")
        .set_name(kube::Name(job))
        .set_namespace_(kube::Namespace(job))
        .set_uid(kube::Uid(job));
  }

  static Value Status(CronJob cron, const OwnedJobs& jobs) {
    Value status = cron.status() ? cron.status().Json() : Value::Object();
    const EditStatus edit(status);
    edit.clear_active();
    for (const Value& job : jobs.active) AddActive(job, edit);
    for (const Value& job : jobs.succeeded) {
      const std::string_view ended = view::batch::Job(job).status().completionTime();
      if (view::batch::CronJobStatus(status).lastSuccessfulTime() < ended) {
        edit.set_lastSuccessfulTime(ended);
      }
    }
    return status;
  }

  base::Result<Requeue> StartDue(CronJob cron, const OwnedJobs& jobs, EditStatus status) {
    const view::batch::CronJobSpec spec = cron.spec();
    if (spec.suspend()) return Requeue::Done();
    const auto schedule = api::CronSchedule::Parse(spec.schedule());
    if (!schedule) return Refuse(cron, "UnparseableSchedule", schedule.error().message());
    const std::string_view zone = schedule->zone().empty() ? spec.timeZone() : schedule->zone();
    if (!zone.empty() && zone != "UTC" && zone != "Etc/UTC") {
      return Refuse(cron, "UnknownTimeZone",
                    fmt::format("schedules are kept in UTC here, not in {}", zone));
    }
    const Due due = FindDue(cron, *schedule);
    if (due.time) COPPICE_TRY(StartAt(cron, jobs, *due.time, status));
    return due.next ? Requeue::After(*due.next - executor_.Now()) : Requeue::Done();
  }

  base::Result<Requeue> Refuse(CronJob cron, std::string_view reason, std::string_view message) {
    events_.Event(cron.Json(), "Warning", reason, message, kSource);
    return Requeue::Done();
  }

  Due FindDue(CronJob cron, const api::CronSchedule& schedule) const {
    const base::Time now = executor_.Now();
    const base::Time origin =
        base::ParseRfc3339(cron.status().lastScheduleTime()).value_or(CreationTime(cron));
    base::Time since = origin;
    if (cron.spec().has_startingDeadlineSeconds()) {
      const std::chrono::seconds deadline(cron.spec().startingDeadlineSeconds());
      since = std::max(since, now - deadline);
    }
    const std::optional<base::Time> last = schedule.Last(now, origin);
    return {.time = last && *last > since ? last : std::nullopt,
            .next = schedule.Next(now, origin)};
  }

  base::Status StartAt(CronJob cron, const OwnedJobs& jobs, base::Time time, EditStatus status) {
    const std::string_view policy = cron.spec().concurrencyPolicy();
    if (policy == "Forbid" && !jobs.active.empty()) {
      events_.Event(cron.Json(), "Normal", "JobAlreadyActive",
                    "Not starting job because prior execution is running and concurrency policy "
                    "is Forbid",
                    kSource);
      return {};
    }
    if (policy == "Replace") {
      for (const Value& job : jobs.active) {
        COPPICE_TRY(kube::DeleteObject(client_, api::kJobs, job));
      }
      status.clear_active();
    }
    const auto created = client_.Create(api::kJobs, MakeJob(cron, time));
    if (!created && !created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    status.set_lastScheduleTime(base::FormatRfc3339(time));
    if (!created) return {};
    AddActive(*created, status);
    events_.Event(cron.Json(), "Normal", "SuccessfulCreate",
                  fmt::format("Created job {}", kube::Name(*created)), kSource);
    return {};
  }

  // Named after its minute: the same time starts no second one.
  static Value MakeJob(CronJob cron, base::Time time) {
    const auto minute = std::chrono::floor<std::chrono::minutes>(time).time_since_epoch().count();
    const view::batch::JobTemplateSpec pattern = cron.spec().jobTemplate();
    Value job = kube::NewObject(api::kJobs, cron.metadata().namespace_(),
                                fmt::format("{}-{}", cron.metadata().name(), minute));
    const edit::batch::Job edit(job);
    edit.metadata()
        .set_labels(pattern.metadata().labels().Json())
        .set_annotations(pattern.metadata().annotations().Json())
        .set_ownerReferences(Value::Array({kube::MakeControllerReference(cron.Json())}));
    edit.metadata().annotations().Set(kScheduledAt, base::FormatRfc3339(time));
    edit.set_spec(pattern.spec().Json());
    return job;
  }

  kube::Client& client_;
  kube::Executor& executor_;
  kube::EventRecorder& events_;
  kube::Informer& crons_;
  kube::Informer& jobs_;
};

}  // namespace

void AddCronJobController(kube::Manager& manager) {
  kube::ControllerSpec spec{.name = "cronjob", .workers = 2};
  spec.For(kCronJobs).Owns(api::kJobs, "CronJob");
  manager.AddController(std::move(spec), std::make_unique<CronJobController>(manager.runtime()));
}

}  // namespace coppice::services::workloads
