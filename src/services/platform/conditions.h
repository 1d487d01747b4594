#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "json/value.h"
#include "services/platform/prometheus_probe.h"

// The conditions of Config and SchedulingShard (docs/behaviour/platform.md K-86), without I/O.
namespace coppice::services::platform {

struct Health {
  std::string not_deployed;   // Why; empty: everything is there.
  std::string not_available;  // Why; empty: everything works.
  std::string missing;        // What the cluster lacks, a line per operand; empty: nothing.
  std::optional<PrometheusHealth::Answer> prometheus;  // Of an external one.
};

// The conditions while a reconcile of this generation begins. Unchanged when an earlier one has
// said so already.
json::Value StartedConditions(const json::Value& object, base::Time now);
// Those at its end.
json::Value FinishedConditions(const json::Value& object, const Health& health, base::Time now);

}  // namespace coppice::services::platform
