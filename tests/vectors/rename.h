#pragma once

#include <functional>
#include <string>

#include "json/value.h"

namespace coppice::vectors {

// The value with every text and every member's name replaced by what `rename` makes of it.
json::Value Renamed(const json::Value& value,
                    const std::function<std::string(std::string)>& rename);

void ReplaceAll(std::string& text, const std::string& from, const std::string& to);

// A step in which each value of a pod-template-hash label that is not masked already stands as
// "hash-N" wherever it occurs: Kubernetes and we compute these hashes differently.
json::Value WithMaskedTemplateHashes(const json::Value& step);

}  // namespace coppice::vectors
