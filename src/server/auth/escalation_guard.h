#pragma once

#include <string>

#include "server/core/core.h"
#include "server/model/admission.h"

namespace coppice::server {

// Prevents privilege escalation: writing a role needs all of its permissions (or the verb
// escalate), and so does binding one (or the verb bind).
class EscalationGuard final : public AdmissionPlugin {
 public:
  explicit EscalationGuard(Core& core) : core_(core) {}

  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override;
  base::Status Validate(const AdmissionRequest& request) override;

 private:
  base::Status CheckRules(const AdmissionRequest& request, const json::Value& rules);

  const std::string name_ = "RBACEscalation";
  Core& core_;
};

}  // namespace coppice::server
