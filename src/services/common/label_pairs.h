#pragma once

#include <map>
#include <string>
#include <string_view>

#include "json/value.h"

namespace coppice::services {

using LabelPairs = std::map<std::string, std::string>;

// "k=v,k2=v2" as KAI's flags write it: spaces are trimmed and items without "=" dropped.
LabelPairs ParseLabelPairs(std::string_view text);
// True when the object carries every pair.
bool HasLabelPairs(const json::Value& object, const LabelPairs& pairs);

}  // namespace coppice::services
