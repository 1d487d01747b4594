#pragma once

#include "base/result.h"
#include "server/core/admission_request.h"
#include "server/core/core.h"

// The steps that every write goes through, each with the text Kubernetes refuses it with.
namespace coppice::server {

// Content may only be created in namespaces that exist and stay.
base::Status CheckNamespaceAcceptsContent(Core& core, const Request& request,
                                          const json::Value& object);

// Defaults, mutating admission, defaults of what that added.
base::Status Complete(Core& core, const Request& request, Operation operation,
                      const json::Value& old, json::Value& object);

// The kind's validation, then validating admission. `old` is null for a creation.
base::Status CheckObject(Core& core, const Request& request, const json::Value& old,
                         const json::Value& object);

// What follows from an object having been written: CRDs get served, namespaces get their default
// contents.
void AfterWrite(Core& core, const ServedResource& served, const json::Value& object, bool created);
void AfterDelete(Core& core, const ServedResource& served, const json::Value& object);

}  // namespace coppice::server
