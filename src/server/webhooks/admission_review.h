#pragma once

#include <string>

#include "json/value.h"
#include "server/model/admission.h"

namespace coppice::server {

// The request of an AdmissionReview. `asked` is the resource in the client's request, which may be
// another version.
json::Value ReviewRequest(const AdmissionRequest& request, const api::Resource& asked,
                          const json::Value& object, const std::string& uid);

}  // namespace coppice::server
