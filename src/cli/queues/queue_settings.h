#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "json/value.h"

namespace coppice::cli {

// What `coppice queue create` and `set` take, in the units of users: GPUs, cores, and memory as a
// Kubernetes quantity ("64Gi"). "unlimited" (or -1) lifts a bound.
struct QueueSettings {
  std::optional<std::string> parent;
  std::optional<std::string> display_name;
  std::optional<int64_t> priority;
  struct Resource {
    std::optional<std::string> quota, limit;
    std::optional<double> weight;
  };
  Resource gpu, cpu, memory;

  bool empty() const;
};

// The settings as a merge patch of a Queue's spec, in the units of its API: GPUs, millicores and
// millions of bytes. An error names the flag.
base::Result<json::Value> QueueSpecPatch(const QueueSettings& settings);

}  // namespace coppice::cli
