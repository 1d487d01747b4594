#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace coppice::operators {

// The real CRDs of one project ("volcano", "kueue", …) from outside the repository; empty when they
// are not at hand.
std::vector<json::Value> SharedCrds(const std::string& project);

// The documents of a YAML file; stops the test program when it cannot be read.
std::vector<json::Value> ReadYamlFile(const std::string& path);

}  // namespace coppice::operators
