#pragma once

#include "base/result.h"
#include "server/core/admission_request.h"
#include "server/core/core.h"

// The steps of every write, each with Kubernetes' error messages.
namespace coppice::server {

// Objects may only be created in namespaces that exist and are not being deleted.
base::Status CheckNamespaceAcceptsContent(Core& core, const Request& request,
                                          const json::Value& object);

// Defaults, mutating admission, defaults of what that added.
base::Status Complete(Core& core, const Request& request, Operation operation,
                      const json::Value& old, json::Value& object);

// The kind's validation, then validating admission. `old` is null for a creation.
base::Status CheckObject(Core& core, const Request& request, const json::Value& old,
                         const json::Value& object);

// Side effects of a write: CRDs get served, namespaces get their default contents.
void AfterWrite(Core& core, const ServedResource& served, const json::Value& object, bool created);
void AfterDelete(Core& core, const ServedResource& served, const json::Value& object);

}  // namespace coppice::server
