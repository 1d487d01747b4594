#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "services/scheduler/service.h"

namespace coppice::services::scheduler {

// The HTTP server of the scheduler's plugins, on 127.0.0.1 (spec/scheduler.md 1.10): /get-snapshot
// while the plugin `snapshot` is configured, /get-job-order while `reflectjoborder` is.
class PluginServer {
 public:
  // Port 0: the system picks one.
  static base::Result<std::unique_ptr<PluginServer>> Start(uint16_t port,
                                                           std::shared_ptr<Service> service);
  virtual ~PluginServer() = default;
  virtual uint16_t port() const = 0;
};

}  // namespace coppice::services::scheduler
