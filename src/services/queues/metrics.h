#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "json/value.h"
#include "kube/metrics.h"
#include "services/queues/controller.h"

namespace coppice::services::queues {

// The gauges of one queue (docs/behaviour/services.md K-48). Thread-safe.
class QueueMetrics {
 public:
  QueueMetrics(kube::Metrics& metrics, Options options);

  // Replaces all series of this queue, so that a changed label leaves none behind.
  void Set(const json::Value& queue);
  void Remove(const std::string& queue);

 private:
  kube::Labels LabelsOf(const json::Value& queue) const;
  void RemoveLocked(const std::string& queue);

  kube::Metrics& metrics_;
  const Options options_;
  std::mutex mutex_;  // Guards labels_.
  std::map<std::string, kube::Labels> labels_;
};

}  // namespace coppice::services::queues
