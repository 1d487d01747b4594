#pragma once

#include "server/model/admission.h"
#include "server/model/registry.h"

namespace coppice::server {

// The version of the request's resource that `rules` match: its own, or, unless `match_policy` is
// Exact, another version of the same objects. Null if none.
ServedPtr MatchedVersion(const json::Value& rules, std::string_view match_policy,
                         const AdmissionRequest& request, const Registry& registry);

// A request as a webhook or policy sees it: its objects, which admission has as they are stored, in
// the version that the rules name.
struct ShownRequest {
  // `object` in place of the request's own, which earlier webhooks may have changed.
  ShownRequest(const AdmissionRequest& request, const json::Value& object,
               const ServedResource& as);
  ShownRequest(const ShownRequest&) = delete;

 private:
  const json::Value object_, old_object_;

 public:
  const AdmissionRequest request;
};

}  // namespace coppice::server
