#pragma once

#include "json/value.h"

namespace coppice::server {

// HorizontalPodAutoscalers in autoscaling/v1, which has only one metric, CPU utilization;
// everything else of autoscaling/v2 is stored there in annotations. Takes whole objects; does not
// change apiVersion.
json::Value AutoscalerToV1(json::Value autoscaler);
json::Value AutoscalerToV2(json::Value autoscaler);

}  // namespace coppice::server
