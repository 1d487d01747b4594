#pragma once

#include <string>

#include "server/model/kind_rules.h"

namespace coppice::server {

// Which requests a webhook or a policy is asked about.
void CheckAdmissionRules(const json::Value& rules, const std::string& path, Causes& causes);

}  // namespace coppice::server
