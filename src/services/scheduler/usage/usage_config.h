#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::services::scheduler {

// Which past usage counts, and where it comes from: usageDBConfig of the scheduler's configuration
// (docs/behaviour/scheduler.md S-97).
struct UsageConfig {
  enum class Source { kPrometheus, kEmbedded };
  enum class Window { kSliding, kTumbling, kCron };

  Source source = Source::kEmbedded;
  std::string connection;  // Prometheus' URL.
  std::optional<base::Duration> half_life;
  std::string window_text = "1w";
  base::Duration window_size = std::chrono::hours(24 * 7);
  Window window = Window::kSliding;
  std::optional<base::Time> tumbling_start;
  std::string cron;
  base::Duration fetch_interval = std::chrono::minutes(1);
  base::Duration staleness = std::chrono::minutes(5);
  base::Duration wait_timeout = std::chrono::minutes(1);
  base::Duration query_timeout = std::chrono::seconds(10);
  std::string resolution_text = "1m";
  base::Duration resolution = std::chrono::minutes(1);
  // By resource: cpu, memory, gpu.
  std::map<std::string, std::string> allocation_metrics;
  std::map<std::string, std::string> capacity_metrics;
};

// Errors name the field. Client types: prometheus; embedded (ours), with which the scheduler
// records usage itself; KAI's fake-with-history is embedded with a resolution of a second.
base::Result<UsageConfig> ReadUsageConfig(const json::Value& config);

// When the window of `now` started.
base::Result<base::Time> WindowStart(const UsageConfig& config, base::Time now);

}  // namespace coppice::services::scheduler
