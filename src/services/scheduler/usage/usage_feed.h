#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "kube/executor/task_scope.h"
#include "kube/process/manager.h"
#include "services/scheduler/usage/usage_config.h"
#include "services/scheduler/usage/usage_source.h"

namespace coppice::services::scheduler {

// Fetches past usage in the background, at start and at its interval, and keeps the latest result.
// A stale result is used with a warning. Thread-safe.
class UsageFeed {
 public:
  // `histogram` gets the duration of every fetch, in milliseconds.
  UsageFeed(kube::Runtime runtime, UsageConfig config, std::shared_ptr<UsageSource> source,
            std::string histogram);

  void Start();
  // Whether decisions may be made: usage is known, or the wait has timed out.
  bool Ready() const;
  // The result, if it is new since the last call.
  std::optional<Usage> TakeNew();

 private:
  void Fetch();

  kube::Runtime runtime_;
  const UsageConfig config_;
  const std::shared_ptr<UsageSource> source_;
  const std::string histogram_;
  mutable std::mutex mutex_;  // Guards all below.
  base::Instant started_;
  std::optional<base::Instant> fetched_;
  std::optional<Usage> new_;
  kube::TaskScope scope_;
};

}  // namespace coppice::services::scheduler
