#pragma once

#include <vector>

#include "server/core/core.h"
#include "server/model/admission.h"

namespace coppice::server {

// The objects that a binding gives its policy as `params`: one null if the policy takes none; empty
// if there are none and that is allowed.
base::Result<std::vector<json::Value>> PolicyParams(Core& core, const AdmissionRequest& request,
                                                    const json::Value& policy_spec,
                                                    const json::Value& binding_spec);

}  // namespace coppice::server
