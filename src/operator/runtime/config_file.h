#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::operators {

// Parses an OperatorConfiguration file (operator.config.grove.io/v1alpha1) and applies defaults.
// Ignores unknown fields; the error names every invalid value. Starts from `defaults`.
base::Result<Config> ReadConfig(const json::Value& document, const Config& defaults = {});

// Unknown fields, where we check for them; worth a warning.
std::vector<std::string> UnknownFields(const json::Value& document);

}  // namespace coppice::operators
