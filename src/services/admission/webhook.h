#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "services/admission/admission.h"

namespace coppice::services::admission {

// Handles one AdmissionReview (v1) posted to `path` (docs/behaviour/services.md K-08). Bad requests
// and unknown paths are errors; a rejection is a response.
base::Result<json::Value> AnswerReview(Admission& admission, std::string_view path,
                                       const json::Value& review);

}  // namespace coppice::services::admission
