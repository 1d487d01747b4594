#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "kube/client/client.h"
#include "kube/config/cluster_config.h"
#include "kube/executor/executor.h"
#include "kube/transport/retry.h"

namespace coppice::kube {

struct HttpClientOptions {
  std::string user_agent;  // "" is "coppice/<version>".
  std::chrono::milliseconds request_timeout{60'000};
  // Maximum number of concurrent requests, without watches; the client finds the right number below
  // it by itself. 0: the built-in 256.
  int max_in_flight = 0;
  // At most this many requests per second, starts of watches not counted. 0: no cap.
  double max_per_second = 0;
  RetryOptions retry;
  // Waits before a retry, or for the cap; for tests. Empty: sleeps.
  std::function<void(std::chrono::milliseconds)> pause;
  // Leaves managedFields out of lists and watches, which saves informers half the work.
  bool drop_managed_fields = false;
  // Lets the objects of one resource share their equal parts (json/shared_parse.h), which saves
  // informers most of the time and memory of a list. For clients that keep what they get.
  bool share_equal_parts = false;
};

// A Client over HTTP(S) to any Kubernetes API server. Watch events are delivered by tasks on
// `executor`, which must outlive the client; so must the client its watches.
base::Result<std::unique_ptr<Client>> MakeHttpClient(ClusterConfig config, Executor& executor,
                                                     HttpClientOptions options = {});

}  // namespace coppice::kube
