#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace coppice::operators::webhooks {

// Every string that occurs more than once, listed once, in order of appearance.
std::vector<std::string> Duplicates(const std::vector<std::string>& texts);
json::Value ToList(const std::vector<std::string>& texts);

}  // namespace coppice::operators::webhooks
