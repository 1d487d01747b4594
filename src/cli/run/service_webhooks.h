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
  std::string ns;     // The namespace of the process.
  bool pods = false;  // Pods and topologies.
  bool queues = false;
  bool pod_groups = false;
};

// The webhooks of admission and of the queue and PodGroup controllers, served by every replica,
// including those that are not the leader. The certificate is mounted, or the process creates it if
// it knows its Service (--webhook-service).
class ServiceWebhooks {
 public:
  // Null if the process has no webhooks. `client`, `executor` and `metrics` must outlive it.
  static base::Result<std::unique_ptr<ServiceWebhooks>> Start(kube::Client& client,
                                                              kube::Executor& executor,
                                                              const services::AllOptions& services,
                                                              const ServiceWebhookOptions& options,
                                                              kube::Metrics& metrics);
  virtual ~ServiceWebhooks() = default;

  // Unavailable while pods would bypass the webhooks.
  virtual base::Status Ready() const = 0;
};

}  // namespace coppice::cli
