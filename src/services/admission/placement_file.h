#pragma once

#include <string_view>

#include "base/result.h"
#include "services/admission/placement_rules.h"

namespace coppice::services::admission {

// Rules from a file such as
//
//   refuseUnknownQueues: true      # the default
//   rules:                         # the first that matches a namespace applies
//   - {namespace: research-*, schedulerName: kai-scheduler, queue: research}
//   - {namespace: "*", queue: default-queue}
//
// Errors name the field.
base::Result<PlacementRules> ParsePlacementRules(std::string_view yaml);
// As --placement-rules takes them: the rules themselves ("{rules: …}"), or the path of a file.
base::Result<PlacementRules> ReadPlacementRules(std::string_view argument);

}  // namespace coppice::services::admission
