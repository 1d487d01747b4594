#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "kube/client/client.h"
#include "kube/executor/executor.h"
#include "operator/runtime/config.h"

namespace coppice::cli {

struct OperatorWebhookOptions {
  // The text of the operator's file. The webhooks are served if it has `server.webhooks`, or if
  // `url` is set.
  std::string config;
  std::string url;  // Where the API server reaches them.
  std::string ns;   // The namespace of the certificate's Secret and of the Service.
};

// The operator's webhooks, served over HTTPS by every replica, including those that are not the
// leader. Null if they are not configured: outside a cluster no API server would reach them.
class OperatorWebhooks {
 public:
  // `client` and `executor` must outlive it.
  static base::Result<std::unique_ptr<OperatorWebhooks>> Start(
      kube::Client& client, kube::Executor& executor, const operators::Config& config,
      const OperatorWebhookOptions& options);
  virtual ~OperatorWebhooks() = default;

  virtual base::Status Ready() const = 0;
  // Sets may name these schedulers from now on.
  virtual base::Status Reconfigure(const backends::BackendConfig& config) = 0;
};

}  // namespace coppice::cli
