#pragma once

#include "json/value.h"
#include "services/admission/verdict.h"

namespace coppice::services::admission {

// Rules of a PodGroup's tree (spec/services.md 4.2). Some that were not checked in earlier releases
// only warn when an existing object is updated.
Verdict ValidatePodGroup(const json::Value& group, bool is_update);

}  // namespace coppice::services::admission
