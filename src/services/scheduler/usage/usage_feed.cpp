#include "services/scheduler/usage/usage_feed.h"

#include "base/log.h"
#include "kube/metrics.h"

namespace coppice::services::scheduler {

UsageFeed::UsageFeed(kube::Runtime runtime, UsageConfig config, std::shared_ptr<UsageSource> source,
                     std::string histogram)
    : runtime_(runtime),
      config_(std::move(config)),
      source_(std::move(source)),
      histogram_(std::move(histogram)),
      started_(runtime.executor.Elapsed()),
      scope_(runtime.executor) {
  runtime_.metrics.Describe(histogram_, "Milliseconds that a query for past usage took.");
}

void UsageFeed::Start() {
  {
    std::lock_guard lock(mutex_);
    started_ = runtime_.executor.Elapsed();
  }
  scope_.Post([this] { Fetch(); });
}

bool UsageFeed::Ready() const {
  std::lock_guard lock(mutex_);
  return fetched_ || runtime_.executor.Elapsed() - started_ >= config_.wait_timeout;
}

std::optional<Usage> UsageFeed::TakeNew() {
  std::lock_guard lock(mutex_);
  const base::Duration age = fetched_ ? runtime_.executor.Elapsed() - *fetched_ : base::Duration();
  if (age > config_.staleness) {
    base::LogWarn("past usage is stale", {{"age", base::FormatDuration(age)}});
  }
  return std::exchange(new_, std::nullopt);
}

void UsageFeed::Fetch() {
  const base::Instant begun = runtime_.executor.Elapsed();
  base::Result<Usage> usage = source_->Fetch(runtime_.executor.Now());
  const base::Instant ended = runtime_.executor.Elapsed();
  runtime_.metrics.Observe(histogram_, {},
                           std::chrono::duration<double, std::milli>(ended - begun).count());
  if (usage) {
    std::lock_guard lock(mutex_);
    fetched_ = ended;
    new_ = *std::move(usage);
  } else {
    base::LogWarn("cannot fetch past usage", {{"error", usage.error().message()}});
  }
  scope_.PostAfter(config_.fetch_interval, [this] { Fetch(); });
}

}  // namespace coppice::services::scheduler
