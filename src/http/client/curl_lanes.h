#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "http/client/curl.h"

// Synchronous requests. For .cpp files of this folder only.
namespace coppice::http {

// Sends each request on its caller's thread, over its own lane: a connection that is kept for the
// next request. There are as many lanes as the maximum of concurrent requests so far. Thread-safe.
class CurlLanes {
 public:
  explicit CurlLanes(const ClientOptions& options);
  // Running requests end with Cancelled.
  ~CurlLanes();

  Exchange Send(ClientRequest request);

 private:
  using Instant = std::chrono::steady_clock::time_point;
  struct Lane;
  class Request;

  std::unique_ptr<Lane> Take();
  void Return(std::unique_ptr<Lane> lane);
  // Blocks until it is complete, or the lanes are closed.
  void Run(Lane& lane, Request& request);
  bool stopping() const;

  const ClientOptions& options_;

  mutable std::mutex mutex_;                 // Guards what follows.
  std::vector<std::unique_ptr<Lane>> idle_;  // The one used last is at the end.
  std::vector<Lane*> busy_;
  std::condition_variable all_idle_;
  bool stopping_ = false;
};

}  // namespace coppice::http
