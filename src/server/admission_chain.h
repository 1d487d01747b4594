#pragma once

#include <memory>
#include <vector>

#include "server/admission.h"

namespace coppice::server {

// All plugins, in order. Mutating plugins that ran before an object was changed by a later one are
// asked once more, so that each has seen what the others did.
class AdmissionChain {
 public:
  void Add(std::shared_ptr<AdmissionPlugin> plugin) { plugins_.push_back(std::move(plugin)); }
  // Asked after all others, whenever those are added.
  void SetLast(std::shared_ptr<AdmissionPlugin> plugin) { last_ = std::move(plugin); }

  // `object` is request.object or a copy of it that the plugins may change.
  base::Status Mutate(const AdmissionRequest& request, json::Value& object) const;
  base::Status Validate(const AdmissionRequest& request) const;

 private:
  std::vector<std::shared_ptr<AdmissionPlugin>> plugins_;
  std::shared_ptr<AdmissionPlugin> last_;
};

}  // namespace coppice::server
