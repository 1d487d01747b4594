#pragma once

#include <string>

#include "json/value.h"

namespace coppice::vectors {

// Runs one case of the kind `grouper` (pod and top owner → pod group metadata) and returns the
// first difference, or "" when it holds.
std::string RunGrouperCase(const json::Value& test_case);

}  // namespace coppice::vectors
