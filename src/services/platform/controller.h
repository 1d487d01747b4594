#pragma once

#include <functional>
#include <string>

#include "kube/process/manager.h"
#include "services/platform/model/config_defaults.h"
#include "services/platform/model/operand.h"

namespace coppice::services::platform {

inline constexpr std::string_view kConfigController = "platform-config";
inline constexpr std::string_view kShardController = "platform-shard";

struct Options {
  // Namespace of the platform's leases, pods and endpoints.
  std::string ns = "kai-scheduler";
  ImageDefaults images;
  // Generating keys is slow; tests share one.
  MakeCertificate make_certificate = http::MakeSelfSignedCertificate;
  // Probes an external Prometheus; tests provide their own.
  std::function<base::Status(const std::string& url, base::Duration timeout)> probe;
};

// Deploys what the Config and the SchedulingShards specify, and reports conditions.
void AddToManager(kube::Manager& manager, Options options);

}  // namespace coppice::services::platform
