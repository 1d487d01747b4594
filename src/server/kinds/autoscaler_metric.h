#pragma once

#include <string>

#include "server/model/kind_rules.h"

namespace coppice::server {

// What a HorizontalPodAutoscaler scales by: one source, selected by its type, and its target.
void CheckAutoscalerMetric(const json::Value& metric, const std::string& path, Causes& causes);
// What it points to has a kind and a name.
void CheckScaledReference(const json::Value& reference, const std::string& path, Causes& causes);

}  // namespace coppice::server
