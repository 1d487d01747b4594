#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "http/server/owning_server.h"
#include "json/value.h"

namespace coppice::cli {

struct FairShareOptions {
  uint16_t port = 8080;
  bool enable_cors = false;
};

// How a cluster would be divided among queues of one level: KAI's fairshare-simulator
// (docs/behaviour/scheduler.md S-104). `question` is the body of POST /simulate; the result is the
// body of the response.
base::Result<json::Value> SimulateFairShare(const json::Value& question);

// Serves POST /simulate on 127.0.0.1 as long as it lives. Port 0: the system picks one.
base::Result<std::unique_ptr<http::OwningServer>> StartFairShareServer(
    const FairShareOptions& options);

int RunFairShareSimulator(const FairShareOptions& options);

}  // namespace coppice::cli
