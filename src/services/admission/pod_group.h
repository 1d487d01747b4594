#pragma once

#include "api/view/kai.h"
#include "services/admission/verdict.h"

namespace coppice::services::admission {

// Rules of a PodGroup's tree (docs/behaviour/services.md K-46). Some that were not checked in
// earlier releases only warn when an existing object is updated.
Verdict ValidatePodGroup(view::kai::PodGroup group, bool is_update);

}  // namespace coppice::services::admission
