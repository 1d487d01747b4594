#pragma once

#include <functional>
#include <memory>
#include <string>

#include "operator/webhooks/admission.h"
#include "server/model/admission.h"

namespace coppice::operators {

// Grove's admission inside the embedded server. `current` returns the active admission, or null
// while the operator is down, in which case everything is rejected, as by a webhook that does not
// answer.
class AdmissionPlugin final : public server::AdmissionPlugin {
 public:
  using Current = std::function<const webhooks::Admission*()>;
  explicit AdmissionPlugin(Current current) : current_(std::move(current)) {}

  const std::string& name() const override { return name_; }
  bool Handles(const server::AdmissionRequest& request) const override;
  base::Status Mutate(const server::AdmissionRequest& request, json::Value& object) override;
  base::Status Validate(const server::AdmissionRequest& request) override;

 private:
  const std::string name_ = "grove";
  const Current current_;
};

}  // namespace coppice::operators
