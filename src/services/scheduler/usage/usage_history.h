#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "services/scheduler/usage/usage_config.h"
#include "services/scheduler/usage/usage_source.h"

namespace coppice::services::scheduler {

// Usage recorded by the scheduler itself: each queue's allocation and the capacity, once per
// resolution. Keeps one window. Thread-safe.
class UsageHistory final : public UsageSource {
 public:
  struct Amounts {
    double cpu = 0;
    double memory = 0;
    double gpu = 0;
  };
  struct Sample {
    base::Time time;
    std::map<std::string, Amounts> queues;
    Amounts capacity;
  };

  explicit UsageHistory(UsageConfig config) : config_(std::move(config)) {}

  // A sample closer than the resolution to the last one replaces it.
  void Record(Sample sample);
  base::Result<Usage> Fetch(base::Time now) override;
  size_t size() const;
  // Oldest first.
  std::vector<Sample> Samples() const;

 private:
  // How much a sample of this age counts.
  double Weight(base::Duration age) const;

  const UsageConfig config_;
  mutable std::mutex mutex_;  // Guards samples_.
  std::deque<Sample> samples_;
};

}  // namespace coppice::services::scheduler
