#include "server/admission_chain.h"

namespace coppice::server {

base::Status AdmissionChain::Mutate(const AdmissionRequest& request, json::Value& object) const {
  size_t last_change = 0;
  for (size_t i = 0; i < plugins_.size(); ++i) {
    if (!plugins_[i]->Handles(request)) continue;
    const json::Value before = object;
    COPPICE_TRY(plugins_[i]->Mutate(request, object));
    if (!before.SameAs(object) && !(before == object)) last_change = i;
  }
  for (size_t i = 0; i < last_change; ++i) {
    if (plugins_[i]->Handles(request)) COPPICE_TRY(plugins_[i]->Mutate(request, object));
  }
  if (last_ && last_->Handles(request)) COPPICE_TRY(last_->Mutate(request, object));
  return {};
}

base::Status AdmissionChain::Validate(const AdmissionRequest& request) const {
  for (const auto& plugin : plugins_) {
    if (plugin->Handles(request)) COPPICE_TRY(plugin->Validate(request));
  }
  if (last_ && last_->Handles(request)) COPPICE_TRY(last_->Validate(request));
  return {};
}

}  // namespace coppice::server
