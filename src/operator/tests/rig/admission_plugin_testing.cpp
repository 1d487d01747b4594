#include "operator/tests/rig/admission_plugin_testing.h"

namespace coppice::operators {

bool AdmissionPlugin::Handles(const server::AdmissionRequest& request) const {
  return request.subresource.empty() && request.operation != server::Operation::kDelete &&
         webhooks::Admission::Concerns(request.resource);
}

base::Status AdmissionPlugin::Mutate(const server::AdmissionRequest& request, json::Value& object) {
  const webhooks::Admission* admission = current_();
  if (admission == nullptr) return base::Unavailable("the operator is not running");
  return admission->Mutate(request.resource, object, request.old_object);
}

base::Status AdmissionPlugin::Validate(const server::AdmissionRequest& request) {
  const webhooks::Admission* admission = current_();
  if (admission == nullptr) return base::Unavailable("the operator is not running");
  return admission->Check(request.resource, request.object, request.old_object,
                          [&](const std::string& warning) { request.Warn(warning); });
}

}  // namespace coppice::operators
