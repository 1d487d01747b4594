#pragma once

#include "server/core/core.h"

namespace coppice::server {

// What admission plugins see of a request. The documents must outlive it.
AdmissionRequest MakeAdmissionRequest(const Request& request, Operation operation,
                                      const json::Value& object, const json::Value& old);

// Runs admission on what is created below an object (a binding, an eviction, a token request).
base::Status AdmitSubresource(Core& core, const Request& request, const json::Value& body);

}  // namespace coppice::server
