#pragma once

#include <memory>
#include <vector>

#include "server/model/admission.h"

namespace coppice::server {

// All plugins, by stage and then in the order they were added. If a later plugin changes the
// object, earlier mutating plugins run once more, so that each has seen the others' changes.
class AdmissionChain {
 public:
  enum class Stage { kBuiltin, kComponents, kPolicies, kWebhooks, kQuotas };

  // Before the first request.
  void Add(std::shared_ptr<AdmissionPlugin> plugin, Stage stage = Stage::kComponents);

  // `object` is request.object or a copy of it that the plugins may change.
  base::Status Mutate(const AdmissionRequest& request, json::Value& object) const;
  base::Status Validate(const AdmissionRequest& request) const;

 private:
  struct Entry {
    Stage stage;
    std::shared_ptr<AdmissionPlugin> plugin;
  };
  std::vector<Entry> entries_;
};

}  // namespace coppice::server
