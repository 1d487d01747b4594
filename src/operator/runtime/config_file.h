#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::operators {

// An OperatorConfiguration file (operator.config.grove.io/v1alpha1), read and defaulted. Fields
// that nobody knows are ignored; every wrong value is named in the error. Starts from `defaults`.
base::Result<Config> ReadConfig(const json::Value& document, const Config& defaults = {});

// The fields that nobody knows, as far as they are looked for: worth a warning.
std::vector<std::string> UnknownFields(const json::Value& document);

}  // namespace coppice::operators
