#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "http/server/owning_server.h"
#include "services/scheduler/service.h"

namespace coppice::services::scheduler {

// The HTTP server of the scheduler's plugins, on 127.0.0.1 (docs/behaviour/scheduler.md S-100 and
// S-103): /get-snapshot while the plugin `snapshot` is configured, /get-job-order while
// `reflectjoborder` is, and the questions of answer_server.h. Port 0: the system picks one.
base::Result<std::unique_ptr<http::OwningServer>> StartPluginServer(
    uint16_t port, std::shared_ptr<Service> service);

}  // namespace coppice::services::scheduler
