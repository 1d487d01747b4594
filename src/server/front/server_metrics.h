#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "base/clock.h"
#include "server/core/core.h"
#include "server/wire/request_info.h"

namespace coppice::server {

// Counts requests and shows them in Prometheus' text format. Thread-safe.
class ServerMetrics {
 public:
  // Requests for anything not served count under empty labels, so clients cannot create new series.
  void Count(const Registry& registry, const RequestInfo& info, int code, base::Duration took);
  std::string Text(Core& core) const;

 private:
  struct Series {
    uint64_t count = 0;
    double seconds = 0;
  };
  using Labels = std::tuple<std::string, std::string, std::string, int>;  // Group, resource, verb.

  mutable std::mutex mutex_;  // Guards series_.
  std::map<Labels, Series> series_;
};

}  // namespace coppice::server
