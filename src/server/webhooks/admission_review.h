#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "server/admission.h"

namespace coppice::server {

// The request of an AdmissionReview. `asked` is what the client named, which may be another version
// of the same resource.
json::Value ReviewRequest(const AdmissionRequest& request, const api::Resource& asked,
                          const json::Value& object, const std::string& uid);

// What a webhook answered.
struct Verdict {
  json::Value patch;  // A JSON patch; null for none.
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> annotations;  // For the audit log.
};
// kForbidden (or what the webhook's status says) when it refused; kInternal when the answer makes
// no sense.
base::Result<Verdict> ReadReview(const std::string& webhook, const std::string& uid,
                                 const json::Value& review);

}  // namespace coppice::server
