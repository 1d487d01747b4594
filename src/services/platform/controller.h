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
  // Where leases, pods and endpoints of the platform are looked for.
  std::string ns = "kai-scheduler";
  ImageDefaults images;
  // Keys take a while to make; tests share one.
  MakeCertificate make_certificate = http::MakeSelfSignedCertificate;
  // Asks an external Prometheus whether it works; tests give their own.
  std::function<base::Status(const std::string& url, base::Duration timeout)> probe;
};

// Deploys what the Config and the SchedulingShards ask for, keeps it so, and reports.
void AddToManager(kube::Manager& manager, Options options);

}  // namespace coppice::services::platform
