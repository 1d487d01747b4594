#include "services/scheduler/usage/usage_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "api/cron_schedule.h"
#include "api/key/kai.h"
#include "api/view/kai.h"
#include "services/common/prometheus_duration.h"

namespace coppice::services::scheduler {
namespace {

using json::Value;
using Param = key::kai::ShardUsageParams;

constexpr std::string_view kQueryResolution = "queryResolution";  // Of extraParams.

base::Error Bad(std::string_view field, std::string_view expected) {
  return base::InvalidArgument(fmt::format("usageDBConfig.{} must be {}", field, expected));
}

// The last time at or before `now` that a cron line names.
std::optional<base::Time> LastTime(const std::string& line, base::Time now) {
  const auto schedule = api::CronSchedule::Parse(line);
  return schedule ? schedule->Last(now) : std::nullopt;
}

// Go's durations ("1m30s") and Prometheus' ("1w").
base::Status ReadDurationOf(const Value& params, std::string_view key, base::Duration& target) {
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

base::Status ReadSource(view::kai::ShardUsageDb config, UsageConfig& out) {
  const std::string_view type = config.clientType();
  if (type == "embedded" || type == "fake" || type == "fake-with-history") {
    out.source = UsageConfig::Source::kEmbedded;
    if (type == "fake-with-history") out.resolution = std::chrono::seconds(1);
    return {};
  }
  if (type != "prometheus") return Bad("clientType", "prometheus or embedded");
  out.source = UsageConfig::Source::kPrometheus;
  const std::string_view text = config.connectionString();
  const std::string variable(config.connectionStringEnvVar());
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

base::Status ReadWindow(view::kai::ShardUsageParams params, UsageConfig& out) {
  COPPICE_TRY(ReadDurationOf(params.Json(), Param::windowSize, out.window_size));
  if (params.has_windowSize()) out.window_text = params.windowSize();
  if (out.window_size <= base::Duration::zero()) {
    return Bad("usageParams.windowSize", "above zero");
  }
  const std::string_view type = params.has_windowType() ? params.windowType() : "sliding";
  if (type == "sliding") return {};
  if (type == "tumbling") {
    out.window = UsageConfig::Window::kTumbling;
    const auto start = base::ParseRfc3339(params.tumblingWindowStartTime());
    if (!start)
      return Bad("usageParams.tumblingWindowStartTime", "a time such as 2026-01-01T00:00:00Z");
    out.tumbling_start = *start;
    return {};
  }
  if (type != "cron") return Bad("usageParams.windowType", "sliding, tumbling or cron");
  out.window = UsageConfig::Window::kCron;
  out.cron = params.cronString();
  if (!LastTime(out.cron, base::Time())) {
    return Bad("usageParams.cronString", "five fields such as \"0 0 * * 1\"");
  }
  return {};
}

void ReadMetrics(view::Map<std::string_view> extra, UsageConfig& out) {
  static constexpr const char* kAllocations[][2] = {{"gpu", "kai_queue_allocated_gpus"},
                                                    {"cpu", "kai_queue_allocated_cpu_cores"},
                                                    {"memory", "kai_queue_allocated_memory_bytes"}};
  static constexpr const char* kCapacities[][2] = {
      {"gpu", "nvidia_com_gpu"}, {"cpu", "cpu"}, {"memory", "memory"}};
  for (const auto& [resource, metric] : kAllocations) {
    const std::string key = fmt::format("{}AllocationMetric", resource);
    out.allocation_metrics[resource] = extra.Has(key) ? extra[key] : metric;
  }
  for (const auto& [resource, name] : kCapacities) {
    const std::string key = fmt::format("{}CapacityMetric", resource);
    out.capacity_metrics[resource] =
        extra.Has(key) ? std::string(extra[key])
                       : fmt::format("sum(kube_node_status_capacity{{resource=\"{}\"}})", name);
  }
}

}  // namespace

base::Result<UsageConfig> ReadUsageConfig(const Value& document) {
  const view::kai::ShardUsageDb config(document);
  UsageConfig out;
  COPPICE_TRY(ReadSource(config, out));
  const Value& params = config.usageParams().Json();
  base::Duration half_life{};
  COPPICE_TRY(ReadDurationOf(params, Param::halfLifePeriod, half_life));
  if (half_life > base::Duration::zero()) out.half_life = half_life;
  COPPICE_TRY(ReadWindow(config.usageParams(), out));
  COPPICE_TRY(ReadDurationOf(params, Param::fetchInterval, out.fetch_interval));
  COPPICE_TRY(ReadDurationOf(params, Param::stalenessPeriod, out.staleness));
  COPPICE_TRY(ReadDurationOf(params, Param::waitTimeout, out.wait_timeout));
  out.staleness = std::max(out.staleness, out.fetch_interval);
  const view::Map<std::string_view> extra = config.usageParams().extraParams();
  COPPICE_TRY(ReadDurationOf(extra.Json(), "usageQueryTimeout", out.query_timeout));
  COPPICE_TRY(ReadDurationOf(extra.Json(), kQueryResolution, out.resolution));
  if (extra.Has(kQueryResolution)) out.resolution_text = extra[kQueryResolution];
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
