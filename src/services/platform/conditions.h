#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "json/value.h"
#include "services/platform/prometheus_probe.h"

// The conditions of Config and SchedulingShard (docs/behaviour/platform.md K-86), without I/O.
namespace coppice::services::platform {

struct Health {
  std::string not_deployed;   // Why; empty: everything exists.
  std::string not_available;  // Why; empty: everything is available.
  std::string missing;        // What the cluster lacks, a line per operand; empty: nothing.
  std::optional<PrometheusHealth::Answer> prometheus;  // Of an external one.
};

// The conditions at the start of a reconcile of this generation. Unchanged if an earlier one has
// already set them.
json::Value StartedConditions(const json::Value& object, base::Time now);
// Those at its end.
json::Value FinishedConditions(const json::Value& object, const Health& health, base::Time now);

}  // namespace coppice::services::platform
