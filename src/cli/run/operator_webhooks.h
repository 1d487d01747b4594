#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "kube/client/client.h"
#include "kube/executor/executor.h"
#include "operator/runtime/config.h"

namespace coppice::cli {

struct OperatorWebhookOptions {
  std::string config;  // The text of the operator's file. Served when it has `server.webhooks`,
  std::string url;     // or when it is said where the API server finds them.
  std::string ns;      // Of the certificate's Secret and of the Service.
};

// The operator's webhooks, served over HTTPS by every replica, also by those that do not lead.
// Null when nothing asks for them: outside a cluster no API server would reach them.
class OperatorWebhooks {
 public:
  // `client` and `executor` must outlive it.
  static base::Result<std::unique_ptr<OperatorWebhooks>> Start(
      kube::Client& client, kube::Executor& executor, const operators::Config& config,
      const OperatorWebhookOptions& options);
  virtual ~OperatorWebhooks() = default;

  virtual base::Status Ready() const = 0;
  // From now on sets may name these schedulers.
  virtual base::Status Reconfigure(const backends::BackendConfig& config) = 0;
};

}  // namespace coppice::cli
