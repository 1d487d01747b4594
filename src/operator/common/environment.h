#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace coppice::operators {

json::Value EnvValue(std::string_view name, std::string_view value);
// A variable whose value is one of the pod's labels.
json::Value EnvFromLabel(std::string_view name, std::string_view label);

// Puts `variables` first in every container and init container. Drops variables of the same name
// from the template.
void PrependEnvironment(json::Value& pod_spec, const std::vector<json::Value>& variables);

}  // namespace coppice::operators
