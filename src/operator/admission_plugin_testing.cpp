#include "operator/admission_plugin_testing.h"

#include "api/well_known.h"

namespace coppice::operators {

bool AdmissionPlugin::Handles(const server::AdmissionRequest& request) const {
  return request.subresource.empty() && request.operation != server::Operation::kDelete &&
         (request.resource == api::kPodCliqueSets ||
          request.resource == api::kClusterTopologyBindings);
}

base::Status AdmissionPlugin::Mutate(const server::AdmissionRequest& request,
                                     json::Value& object) {
  if (request.resource != api::kPodCliqueSets) return {};
  const webhooks::Admission* admission = current_();
  if (admission == nullptr) return base::Unavailable("the operator is not running");
  admission->Mutate(object);
  return {};
}

base::Status AdmissionPlugin::Validate(const server::AdmissionRequest& request) {
  const webhooks::Admission* admission = current_();
  if (admission == nullptr) return base::Unavailable("the operator is not running");
  const bool is_set = request.resource == api::kPodCliqueSets;
  const webhooks::Review review = is_set ? admission->ReviewSet(request.object, request.old_object)
                                         : admission->ReviewBinding(request.object);
  if (review.causes.empty()) return {};
  return webhooks::Denial(is_set ? webhooks::kSetValidatorName : webhooks::kBindingValidatorName,
                          review.causes);
}

}  // namespace coppice::operators
