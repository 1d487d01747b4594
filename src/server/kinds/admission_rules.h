#pragma once

#include <string>

#include "server/model/kind_rules.h"

namespace coppice::server {

// Validates the match rules of a webhook or a policy.
void CheckAdmissionRules(const json::Value& rules, const std::string& path, Causes& causes);

}  // namespace coppice::server
