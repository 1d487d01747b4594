#include "kube/controller/controller_runner.h"

#include <algorithm>

#include "base/log.h"

namespace coppice::kube {
namespace {

const std::string kTotal = "controller_runtime_reconcile_total";
const std::string kErrors = "controller_runtime_reconcile_errors_total";
const std::string kTime = "controller_runtime_reconcile_time_seconds";
const std::string kActive = "controller_runtime_active_workers";
const std::string kMost = "controller_runtime_max_concurrent_reconciles";

// After so many keys, one of lower priority is processed.
constexpr int kInARow = 8;

// How long a key of kHigh waits for work of kHighest: as long as a burst of creates lasts where
// requests are fast. Even one such key at a time would take a processor from them.
constexpr base::Duration kPatience = std::chrono::milliseconds(200);

const std::vector<double> kTimeBuckets = {
    .005, .01, .025, .05, .1,  .15, .2,  .25, .3, .35, .4, .45, .5, .6, .7, .8, .9, 1,  1.25, 1.5,
    1.75, 2,   2.5,  3,   3.5, 4,   4.5, 5,   6,  7,   8,  9,   10, 15, 20, 25, 30, 40, 50,   60};

void DescribeTo(Metrics& metrics) {
  metrics.Describe(kTotal, "Reconciles per controller and result.");
  metrics.Describe(kErrors, "Reconciles per controller that failed.");
  metrics.Describe(kTime, "Seconds per reconcile.", kTimeBuckets);
  metrics.Describe(kActive, "Reconciles running per controller.");
  metrics.Describe(kMost, "Reconciles per controller that may run at once.");
}

// Two writers met, or we are being stopped: expected in normal operation.
bool IsRoutine(const base::Error& error) {
  return error.Is(base::ErrorCode::kConflict) || error.Is(base::ErrorCode::kCancelled);
}

}  // namespace

ControllerRunner::ControllerRunner(ControllerSpec spec, std::unique_ptr<Reconciler> reconciler,
                                   Shared shared)
    : spec_(std::move(spec)),
      reconciler_(std::move(reconciler)),
      metrics_(shared.metrics),
      priorities_(shared.priorities),
      labels_{{"controller", spec_.name}},
      succeeded_{{"controller", spec_.name}, {"result", "success"}},
      put_off_{{"controller", spec_.name}, {"result", "requeue_after"}},
      failed_{{"controller", spec_.name}, {"result", "error"}},
      queue_(shared.executor,
             {.name = spec_.name,
              .backoff = shared.backoff,
              .metrics = &metrics_,
              .priorities = &priorities_},
             [this] { Pump(); }),
      scope_(shared.executor) {
  DescribeTo(metrics_);
  metrics_.Set(kMost, labels_, spec_.workers);
}

void ControllerRunner::Watch(Cache& cache) {
  for (const WatchSpec& watch : spec_.watches) {
    cache.InformerFor(watch.resource).AddHandler([this, &watch](const Change& change) {
      OnChange(watch, change);
    });
  }
}

void ControllerRunner::OnChange(const WatchSpec& watch, const Change& change) {
  if (watch.predicate && !watch.predicate(change)) return;
  const Priority priority = watch.priority ? watch.priority(change) : Priority::kNormal;
  Enqueue(watch, change.object, priority);
  // What the object concerned before may need to let go of it.
  if (change.type == ChangeType::kUpdated) Enqueue(watch, change.old_object, Priority::kNormal);
}

void ControllerRunner::Enqueue(const WatchSpec& watch, const json::Value& cause,
                               Priority priority) {
  for (const ObjectKey& key : watch.mapper(cause)) {
    if (spec_.before_enqueue) spec_.before_enqueue(key, cause);
    queue_.Add(key, priority);
  }
}

void ControllerRunner::Start() {
  {
    std::lock_guard lock(mutex_);
    started_ = true;
  }
  Pump();
}

void ControllerRunner::Stop() {
  queue_.Close();
  scope_.Close();
}

bool ControllerRunner::idle() const {
  std::lock_guard lock(mutex_);
  return active_ == 0 && queue_.ready() == 0;
}

void ControllerRunner::Pump() {
  std::lock_guard lock(mutex_);
  const std::optional<Kind> next = NextLocked();
  if (!next) return;
  ++active_;
  if (*next != Kind::kInOrder) ++active_others_;
  in_a_row_ = *next == Kind::kAgainstStarvation ? 0 : std::min(in_a_row_ + 1, kInARow);
  scope_.Post([this, kind = *next] { WorkOnOne(kind); });
}

// What a further worker may begin with.
std::optional<ControllerRunner::Kind> ControllerRunner::NextLocked() {
  if (!started_ || active_ >= spec_.workers) return std::nullopt;
  const WorkQueue::Front front = queue_.front();
  if (front.ready == 0) return std::nullopt;
  if (front.mixed && in_a_row_ >= kInARow && active_others_ == 0) return Kind::kAgainstStarvation;
  const bool yields = priorities_.AnyHigherThan(front.priority);
  if (yields && (active_others_ > 0 || WaitsLocked(front))) return std::nullopt;
  return yields || front.priority == Priority::kNormal ? Kind::kYielding : Kind::kInOrder;
}

bool ControllerRunner::WaitsLocked(const WorkQueue::Front& front) {
  if (front.priority != Priority::kHigh) return false;
  const base::Duration left = front.since + kPatience - scope_.Elapsed();
  if (left <= base::Duration::zero()) return false;
  if (looks_again_) return true;
  looks_again_ = true;
  scope_.PostAfter(left, [this] {
    {
      std::lock_guard lock(mutex_);
      looks_again_ = false;
    }
    Pump();
  });
  return true;
}

// The key is taken only when the worker runs, so that changes in the meantime were folded into one.
void ControllerRunner::WorkOnOne(Kind kind) {
  if (const auto key = Take(kind)) {
    Pump();
    Reconcile(*key);
    queue_.Done(*key);
  }
  FreeSlot(kind);
  Pump();
}

std::optional<ObjectKey> ControllerRunner::Take(Kind kind) {
  std::optional<ObjectKey> key =
      kind == Kind::kAgainstStarvation ? queue_.TakeLowerPriority() : std::nullopt;
  if (!key) key = queue_.Take();
  priorities_.NotifyRelief();
  return key;
}

void ControllerRunner::FreeSlot(Kind kind) {
  std::lock_guard lock(mutex_);
  --active_;
  if (kind != Kind::kInOrder) --active_others_;
}

void ControllerRunner::Reconcile(const ObjectKey& key) {
  const base::Instant started = scope_.Elapsed();
  metrics_.Set(kActive, labels_, ++running_);
  const base::Result<Requeue> result = reconciler_->Reconcile(key);
  metrics_.Set(kActive, labels_, --running_);
  metrics_.Observe(kTime, labels_,
                   std::chrono::duration<double>(scope_.Elapsed() - started).count());
  Settle(key, result);
}

void ControllerRunner::Settle(const ObjectKey& key, const base::Result<Requeue>& result) {
  if (!result) return Retry(key, result.error());
  queue_.Forget(key);
  metrics_.Increment(kTotal, result->after ? put_off_ : succeeded_);
  if (result->after) queue_.AddAfter(key, *result->after);
}

void ControllerRunner::Retry(const ObjectKey& key, const base::Error& error) {
  metrics_.Increment(kTotal, failed_);
  metrics_.Increment(kErrors, labels_);
  base::Log(IsRoutine(error) ? base::LogLevel::kDebug : base::LogLevel::kWarn, "reconcile failed",
            {{"controller", spec_.name}, {"key", key.ToString()}, {"error", error.ToString()}});
  if (error.retry_after()) return queue_.AddAfter(key, *error.retry_after());
  queue_.AddRateLimited(key);
}

}  // namespace coppice::kube
