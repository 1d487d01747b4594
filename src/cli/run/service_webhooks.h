#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "kube/client/client.h"
#include "kube/executor/executor.h"
#include "kube/metrics.h"
#include "services/flags.h"

namespace coppice::cli {

struct ServiceWebhookOptions {
  std::string ns;     // Where the process runs.
  bool pods = false;  // Pods and topologies.
  bool queues = false;
  bool pod_groups = false;
};

// The webhooks of admission and of the queue and PodGroup controllers, answered by every replica,
// also by those that do not lead. Who provides their certificate: whoever mounts it, or the process
// itself when it is told its Service (--webhook-service).
class ServiceWebhooks {
 public:
  // Null when the process has none. `client`, `executor` and `metrics` must outlive it.
  static base::Result<std::unique_ptr<ServiceWebhooks>> Start(kube::Client& client,
                                                              kube::Executor& executor,
                                                              const services::AllOptions& services,
                                                              const ServiceWebhookOptions& options,
                                                              kube::Metrics& metrics);
  virtual ~ServiceWebhooks() = default;

  // Unavailable while pods would have to pass unseen.
  virtual base::Status Ready() const = 0;
};

}  // namespace coppice::cli
