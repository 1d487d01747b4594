#pragma once

#include <functional>
#include <memory>

#include "json/value.h"
#include "services/scheduler/usage/usage_config.h"
#include "services/scheduler/usage/usage_source.h"

namespace coppice::services::scheduler {

// Runs an instant query at this time; returns the `data` of the response.
using PrometheusQuery =
    std::function<base::Result<json::Value>(const std::string& query, base::Time at)>;

// The query for one metric (docs/behaviour/scheduler.md S-97): its sum over the window, older
// samples counting less where there is a half-life.
base::Result<std::string> UsageQuery(const UsageConfig& config, const std::string& metric,
                                     base::Time now);

std::unique_ptr<UsageSource> MakePrometheusUsage(UsageConfig config, PrometheusQuery query);
// Over HTTP.
base::Result<PrometheusQuery> ConnectPrometheus(const UsageConfig& config);

}  // namespace coppice::services::scheduler
