#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "kube/executor/executor.h"
#include "server/core/core.h"
#include "server/front/watch_stream.h"
#include "server/wire/respond.h"

namespace coppice::server {

// Handles requests for resources: authorizes them, finds the served resource, parses options and
// body, calls the core, sends the response.
class ResourceHandler {
 public:
  ResourceHandler(Core& core, kube::Executor& executor) : core_(core), executor_(executor) {}

  void Handle(Call call);
  // Ends all watches; rejects new ones.
  void Stop();

 private:
  base::Status Run(Call& call, const ServedPtr& served);
  base::Status Read(Call& call, const Request& request);
  base::Status Watch(Call& call, const Request& request);
  base::Status Write(Call& call, Request request);
  base::Status Patch(Call& call, Request request);
  base::Status Delete(Call& call, Request request);
  base::Status DeleteCollection(Call& call, Request request);

  Core& core_;
  kube::Executor& executor_;
  std::mutex mutex_;  // Guards all below.
  bool stopped_ = false;
  std::set<std::shared_ptr<WatchStream>> streams_;
};

}  // namespace coppice::server
