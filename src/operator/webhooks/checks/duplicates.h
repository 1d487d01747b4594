#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace coppice::operators::webhooks {

// Every text that occurs more than once, each once, in order of appearance.
std::vector<std::string> Duplicates(const std::vector<std::string>& texts);
json::Value ToList(const std::vector<std::string>& texts);

}  // namespace coppice::operators::webhooks
