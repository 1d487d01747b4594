#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/view/kai.h"
#include "services/platform/controller.h"

namespace coppice::services::platform {

// What is known about an external Prometheus. Thread-safe.
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
  // About the Prometheus that this Config names; nothing when it names none, or nobody asked yet.
  std::optional<Answer> Of(view::kai::PrometheusConfig prometheus) const;

 private:
  mutable std::mutex mutex_;  // Guards answer_.
  std::optional<Answer> answer_;
};

// Asks the Prometheus of the Config in its interval, with retries, and wakes the Config's
// controller when the answer changes.
std::shared_ptr<PrometheusHealth> AddPrometheusProbe(kube::Manager& manager,
                                                     const Options& options);

}  // namespace coppice::services::platform
