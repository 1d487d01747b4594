#pragma once

#include "json/value.h"

namespace coppice::server {

// HorizontalPodAutoscalers in autoscaling/v1, which knows one metric, the processor's utilisation;
// what else autoscaling/v2 says is kept there in annotations. Whole objects; apiVersion is left as
// it is.
json::Value AutoscalerToV1(json::Value autoscaler);
json::Value AutoscalerToV2(json::Value autoscaler);

}  // namespace coppice::server
