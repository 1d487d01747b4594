#include "services/workloads/cron_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/cron_schedule.h"
#include "api/well_known.h"
#include "kube/apply.h"
#include "kube/cache.h"
#include "kube/events.h"
#include "kube/index.h"
#include "kube/object.h"
#include "services/workloads/job.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;

const api::Resource kCronJobs{"batch", "v1", "cronjobs", "CronJob", true};
constexpr std::string_view kScheduledAt = "batch.kubernetes.io/cronjob-scheduled-timestamp";
constexpr std::string_view kSource = "cronjob-controller";

base::Time CreationTime(const Value& object) {
  return base::ParseRfc3339(object["metadata"]["creationTimestamp"].AsString())
      .value_or(base::Time());
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
    const auto cron = crons_.Get(key);
    if (!cron || kube::IsDeleting(*cron)) return Requeue::Done();
    const OwnedJobs jobs = Look(*cron);
    COPPICE_TRY(Forget(jobs.succeeded, (*cron)["spec"]["successfulJobsHistoryLimit"].AsInt(3)));
    COPPICE_TRY(Forget(jobs.failed, (*cron)["spec"]["failedJobsHistoryLimit"].AsInt(1)));
    Value status = Status(*cron, jobs);
    const base::Result<Requeue> again = StartDue(*cron, jobs, status);
    COPPICE_TRY(kube::PatchStatus(client_, kCronJobs, *cron, status));
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

  static Value Reference(const Value& job) {
    return Value::Object({{"apiVersion", "batch/v1"},
                          {"kind", "Job"},
                          {"name", kube::Name(job)},
                          {"namespace", kube::Namespace(job)},
                          {"uid", kube::Uid(job)}});
  }

  static Value Status(const Value& cron, const OwnedJobs& jobs) {
    Value status = cron["status"].IsObject() ? cron["status"] : Value::Object();
    Value active = Value::Array();
    for (const Value& job : jobs.active) active.Append(Reference(job));
    status.Set("active", active.empty() ? Value() : std::move(active));
    for (const Value& job : jobs.succeeded) {
      const Value& ended = job["status"]["completionTime"];
      if (status["lastSuccessfulTime"].AsString() < ended.AsString()) {
        status.Set("lastSuccessfulTime", ended);
      }
    }
    return status;
  }

  base::Result<Requeue> StartDue(const Value& cron, const OwnedJobs& jobs, Value& status) {
    const Value& spec = cron["spec"];
    if (spec["suspend"].AsBool()) return Requeue::Done();
    const auto schedule = api::CronSchedule::Parse(spec["schedule"].AsString());
    if (!schedule) return Refuse(cron, "UnparseableSchedule", schedule.error().message());
    const std::string_view zone =
        schedule->zone().empty() ? spec["timeZone"].AsString() : schedule->zone();
    if (!zone.empty() && zone != "UTC" && zone != "Etc/UTC") {
      return Refuse(cron, "UnknownTimeZone",
                    fmt::format("schedules are kept in UTC here, not in {}", zone));
    }
    const Due due = FindDue(cron, *schedule);
    if (due.time) COPPICE_TRY(StartAt(cron, jobs, *due.time, status));
    return due.next ? Requeue::After(*due.next - executor_.Now()) : Requeue::Done();
  }

  base::Result<Requeue> Refuse(const Value& cron, std::string_view reason,
                               std::string_view message) {
    events_.Event(cron, "Warning", reason, message, kSource);
    return Requeue::Done();
  }

  Due FindDue(const Value& cron, const api::CronSchedule& schedule) const {
    const base::Time now = executor_.Now();
    const base::Time origin = base::ParseRfc3339(cron["status"]["lastScheduleTime"].AsString())
                                  .value_or(CreationTime(cron));
    base::Time since = origin;
    if (cron["spec"].Has("startingDeadlineSeconds")) {
      const std::chrono::seconds deadline(cron["spec"]["startingDeadlineSeconds"].AsInt());
      since = std::max(since, now - deadline);
    }
    const std::optional<base::Time> last = schedule.Last(now, origin);
    return {.time = last && *last > since ? last : std::nullopt,
            .next = schedule.Next(now, origin)};
  }

  base::Status StartAt(const Value& cron, const OwnedJobs& jobs, base::Time time, Value& status) {
    const std::string_view policy = cron["spec"]["concurrencyPolicy"].AsString();
    if (policy == "Forbid" && !jobs.active.empty()) {
      events_.Event(cron, "Normal", "JobAlreadyActive",
                    "Not starting job because prior execution is running and concurrency policy "
                    "is Forbid",
                    kSource);
      return {};
    }
    if (policy == "Replace") {
      for (const Value& job : jobs.active) {
        COPPICE_TRY(kube::DeleteObject(client_, api::kJobs, job));
      }
      status.Erase("active");
    }
    const auto created = client_.Create(api::kJobs, MakeJob(cron, time));
    if (!created && !created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    status.Set("lastScheduleTime", base::FormatRfc3339(time));
    if (!created) return {};
    status.Mutable("active").Append(Reference(*created));
    events_.Event(cron, "Normal", "SuccessfulCreate",
                  fmt::format("Created job {}", kube::Name(*created)), kSource);
    return {};
  }

  // Named after its minute: the same time starts no second one.
  static Value MakeJob(const Value& cron, base::Time time) {
    const auto minute = std::chrono::floor<std::chrono::minutes>(time).time_since_epoch().count();
    const Value& pattern = cron["spec"]["jobTemplate"];
    Value job = kube::NewObject(api::kJobs, kube::Namespace(cron),
                                fmt::format("{}-{}", kube::Name(cron), minute));
    Value& metadata = job.Mutable("metadata");
    metadata.Set("labels", pattern["metadata"]["labels"]);
    metadata.Set("annotations", pattern["metadata"]["annotations"]);
    metadata.Mutable("annotations").Set(kScheduledAt, base::FormatRfc3339(time));
    metadata.Set("ownerReferences", Value::Array({kube::MakeControllerReference(cron)}));
    job.Set("spec", pattern["spec"]);
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
