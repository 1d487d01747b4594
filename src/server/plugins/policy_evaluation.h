#pragma once

#include <string>
#include <utility>
#include <vector>

#include "json/value.h"
#include "server/webhooks/expressions.h"

namespace coppice::server {

// Why one expression of a policy rejects the request.
struct PolicyFinding {
  std::string message;
  std::string reason;
  int64_t expression = 0;  // Its place among the validations.
};

struct PolicyVerdict {
  std::vector<PolicyFinding> findings;
  std::vector<std::pair<std::string, std::string>> annotations;  // For the audit log.
};

// All expressions of a ValidatingAdmissionPolicy, with `variables` as they are for the request. One
// that fails is a finding unless the failure policy is Ignore.
PolicyVerdict EvaluatePolicy(const json::Value& policy_spec, AdmissionVariables variables,
                             const Expressions& expressions);

}  // namespace coppice::server
