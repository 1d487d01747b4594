#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/view/kai.h"
#include "services/platform/controller.h"

namespace coppice::services::platform {

// The health of an external Prometheus. Thread-safe.
class PrometheusHealth {
 public:
  struct Answer {
    std::string url;
    std::string problem;  // Empty: it works.
  };

  void Set(Answer answer) {
    std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  // For the Prometheus of this Config; nullopt if it names none, or before the first probe.
  std::optional<Answer> Of(view::kai::PrometheusConfig prometheus) const;

 private:
  mutable std::mutex mutex_;  // Guards answer_.
  std::optional<Answer> answer_;
};

// Probes the Config's Prometheus at its interval, with retries, and wakes the Config's controller
// when the result changes.
std::shared_ptr<PrometheusHealth> AddPrometheusProbe(kube::Manager& manager,
                                                     const Options& options);

}  // namespace coppice::services::platform
