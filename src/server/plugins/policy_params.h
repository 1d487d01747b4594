#pragma once

#include <vector>

#include "server/core/core.h"
#include "server/model/admission.h"

namespace coppice::server {

// The objects that a binding gives its policy as `params`: one null where the policy takes none;
// nothing where there are none and that is fine.
base::Result<std::vector<json::Value>> PolicyParams(Core& core, const AdmissionRequest& request,
                                                    const json::Value& policy_spec,
                                                    const json::Value& binding_spec);

}  // namespace coppice::server
