#pragma once

#include "base/result.h"
#include "json/value.h"
#include "server/kind_rules.h"

namespace coppice::server {

// What the cluster adds to a new pod: its priority, its runtime's overhead, its service account,
// tolerations of short outages.
base::Status AdmitPod(const RuleContext& context, json::Value& pod);

}  // namespace coppice::server
