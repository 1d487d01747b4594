#include "services/scheduler/usage/usage_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "api/cron_schedule.h"
#include "services/common/prometheus_duration.h"

namespace coppice::services::scheduler {
namespace {

using json::Value;

base::Error Bad(std::string_view field, std::string_view expected) {
  return base::InvalidArgument(fmt::format("usageDBConfig.{} must be {}", field, expected));
}

// The last time at or before `now` that a cron line names.
std::optional<base::Time> LastTime(const std::string& line, base::Time now) {
  const auto schedule = api::CronSchedule::Parse(line);
  return schedule ? schedule->Last(now) : std::nullopt;
}

// Go's durations ("1m30s") and Prometheus' ("1w").
base::Status ReadDurationOf(const Value& params, const char* key, base::Duration& target) {
  const Value* text = params.Find(key);
  if (!text) return {};
  if (const auto parsed = ParsePrometheusDuration(text->AsString())) {
    target = *parsed;
    return {};
  }
  const auto parsed = base::ParseDuration(text->AsString());
  if (!parsed) return Bad(fmt::format("usageParams.{}", key), "a duration such as 1m");
  target = *parsed;
  return {};
}

base::Status ReadSource(const Value& config, UsageConfig& out) {
  const std::string type = config["clientType"].ToString();
  if (type == "embedded" || type == "fake" || type == "fake-with-history") {
    out.source = UsageConfig::Source::kEmbedded;
    if (type == "fake-with-history") out.resolution = std::chrono::seconds(1);
    return {};
  }
  if (type != "prometheus") return Bad("clientType", "prometheus or embedded");
  out.source = UsageConfig::Source::kPrometheus;
  const std::string text = config["connectionString"].ToString();
  const std::string variable = config["connectionStringEnvVar"].ToString();
  if (text.empty() == variable.empty()) {
    return Bad("connectionString", "given, or connectionStringEnvVar, and not both");
  }
  out.connection = text;
  if (!variable.empty()) {
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr || *value == 0) {
      return Bad("connectionStringEnvVar", "an environment variable that is set");
    }
    out.connection = value;
  }
  return {};
}

base::Status ReadWindow(const Value& params, UsageConfig& out) {
  COPPICE_TRY(ReadDurationOf(params, "windowSize", out.window_size));
  out.window_text = params["windowSize"].ToString(out.window_text);
  if (out.window_size <= base::Duration::zero()) {
    return Bad("usageParams.windowSize", "above zero");
  }
  const std::string type = params["windowType"].ToString("sliding");
  if (type == "sliding") return {};
  if (type == "tumbling") {
    out.window = UsageConfig::Window::kTumbling;
    const auto start = base::ParseRfc3339(params["tumblingWindowStartTime"].AsString());
    if (!start)
      return Bad("usageParams.tumblingWindowStartTime", "a time such as 2026-01-01T00:00:00Z");
    out.tumbling_start = *start;
    return {};
  }
  if (type != "cron") return Bad("usageParams.windowType", "sliding, tumbling or cron");
  out.window = UsageConfig::Window::kCron;
  out.cron = params["cronString"].ToString();
  if (!LastTime(out.cron, base::Time())) {
    return Bad("usageParams.cronString", "five fields such as \"0 0 * * 1\"");
  }
  return {};
}

void ReadMetrics(const Value& extra, UsageConfig& out) {
  static constexpr const char* kAllocations[][2] = {{"gpu", "kai_queue_allocated_gpus"},
                                                    {"cpu", "kai_queue_allocated_cpu_cores"},
                                                    {"memory", "kai_queue_allocated_memory_bytes"}};
  static constexpr const char* kCapacities[][2] = {
      {"gpu", "nvidia_com_gpu"}, {"cpu", "cpu"}, {"memory", "memory"}};
  for (const auto& [resource, metric] : kAllocations) {
    const std::string key = fmt::format("{}AllocationMetric", resource);
    out.allocation_metrics[resource] = extra[key].ToString(metric);
  }
  for (const auto& [resource, name] : kCapacities) {
    const std::string key = fmt::format("{}CapacityMetric", resource);
    out.capacity_metrics[resource] =
        extra[key].ToString(fmt::format("sum(kube_node_status_capacity{{resource=\"{}\"}})", name));
  }
}

}  // namespace

base::Result<UsageConfig> ReadUsageConfig(const Value& config) {
  UsageConfig out;
  COPPICE_TRY(ReadSource(config, out));
  const Value& params = config["usageParams"];
  base::Duration half_life{};
  COPPICE_TRY(ReadDurationOf(params, "halfLifePeriod", half_life));
  if (half_life > base::Duration::zero()) out.half_life = half_life;
  COPPICE_TRY(ReadWindow(params, out));
  COPPICE_TRY(ReadDurationOf(params, "fetchInterval", out.fetch_interval));
  COPPICE_TRY(ReadDurationOf(params, "stalenessPeriod", out.staleness));
  COPPICE_TRY(ReadDurationOf(params, "waitTimeout", out.wait_timeout));
  out.staleness = std::max(out.staleness, out.fetch_interval);
  const Value& extra = params["extraParams"];
  COPPICE_TRY(ReadDurationOf(extra, "usageQueryTimeout", out.query_timeout));
  COPPICE_TRY(ReadDurationOf(extra, "queryResolution", out.resolution));
  out.resolution_text = extra["queryResolution"].ToString(out.resolution_text);
  if (out.fetch_interval <= base::Duration::zero() || out.resolution <= base::Duration::zero()) {
    return Bad("usageParams", "with intervals above zero");
  }
  ReadMetrics(extra, out);
  return out;
}

base::Result<base::Time> WindowStart(const UsageConfig& config, base::Time now) {
  switch (config.window) {
    case UsageConfig::Window::kSliding:
      return now - config.window_size;
    case UsageConfig::Window::kTumbling: {
      const base::Duration since = now - *config.tumbling_start;
      if (since < base::Duration::zero()) return *config.tumbling_start;
      return now - since % config.window_size;
    }
    case UsageConfig::Window::kCron:
      break;
  }
  const auto last = LastTime(config.cron, now);
  if (!last) return base::InvalidArgument("the cron string names no time");
  return *last;
}

}  // namespace coppice::services::scheduler
