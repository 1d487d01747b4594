#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace coppice::operators {

// The documents of a YAML file; aborts the test program if it cannot be read.
std::vector<json::Value> ReadYamlFile(const std::string& path);

}  // namespace coppice::operators
