#pragma once

#include "base/result.h"
#include "server/core/admission_request.h"
#include "server/core/core.h"

// Subresources: pods/binding, pods/eviction, …/scale, serviceaccounts/token. The status subresource
// is part of the ordinary write path.
namespace coppice::server {

base::Result<Outcome> CreateSubresource(Core& core, const Request& request, json::Value body);

// pods/binding: assigns the pod to a node.
base::Result<Outcome> BindPod(Core& core, const Request& request, const json::Value& binding);
// pods/eviction: deletes the pod unless a PodDisruptionBudget forbids it now.
base::Result<Outcome> EvictPod(Core& core, const Request& request, const json::Value& eviction);

// {"kind": "Status", "status": "Success"}.
json::Value SuccessStatus(int code);

}  // namespace coppice::server
