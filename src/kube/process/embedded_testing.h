#pragma once

#include <memory>

#include "base/check.h"
#include "kube/executor/stepper.h"
#include "server/api_server.h"

namespace coppice::kube {

// The embedded API server in memory on a stepper, for tests that want the real thing.
struct Embedded {
  explicit Embedded(uint64_t seed = 0, size_t watch_history = 16384) : stepper(seed) {
    auto made = server::ApiServer::Make(
        {.clock = &stepper.clock(), .seed = seed, .watch_history = watch_history});
    COPPICE_CHECK(made.ok());
    api_server = *std::move(made);
    client = api_server->NewClient(stepper);
  }

  Stepper stepper;
  std::unique_ptr<server::ApiServer> api_server;
  std::unique_ptr<Client> client;
};

}  // namespace coppice::kube
